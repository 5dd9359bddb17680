"""A limit on the time that code takes, in any thread and on any system, without slowing it down.

One thread of our own watches the clock and raises TimeLimit in the code that is late, again and again until it ends.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

MARGIN = 10.0  # seconds for what is not the answer's own time: starting Python, the product's code that it is put into
AGAIN = 0.05  # seconds until TimeLimit is raised once more in code that has caught it


class TimeLimit(BaseException):
    """The answer took too long; no `except Exception` of an answer holds it back, and no bare one for long."""


@dataclass(eq=False)
class _Limit:
    """The thread that is limited, when its time ends, and what has become of it.

    over: the limited code has ended. raised: TimeLimit has been raised in it. deciding: just now it may be.
    """

    thread: int
    end: float
    over: bool = False
    raised: bool = False
    deciding: bool = False


class _Watch:
    """The thread that looks after the limits that are running now.

    The limited threads take no lock: TimeLimit may arrive anywhere in them, and a lock that it leaves taken is never
    released. They put their limit into a queue, and say in it that they are over.
    """

    def __init__(self) -> None:
        self.new: SimpleQueue[_Limit] = SimpleQueue()
        self.thread: threading.Thread | None = None

    def begin(self, limit: _Limit) -> None:
        if self.thread is None:
            self.thread = threading.Thread(target=self._run, daemon=True, name="time limits")
            self.thread.start()
        self.new.put(limit)

    def _run(self) -> None:
        limits: list[_Limit] = []
        while True:
            now = time.monotonic()
            waits = [limit.end - now if limit.end > now else AGAIN for limit in limits]
            with suppress(Empty):
                limits.append(self.new.get(timeout=min(waits, default=None)))
            limits = [limit for limit in limits if not limit.over]
            for limit in limits:
                if limit.end <= time.monotonic():
                    limit.deciding = True  # whoever ends from here on waits until it is known whether it was raised
                    if not limit.over:
                        limit.raised = True
                        _raise_in(limit.thread)
                    limit.deciding = False


def _raise_in(thread: int) -> None:
    """Raise TimeLimit in a thread at its next step."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeLimit))


def _take_back() -> None:
    """Let nothing arrive later that was raised in this thread but has not arrived yet.

    Python has room for one such error in each thread; one more takes the place of what may be there, and arrives here.
    (To ask Python to forget it, with NULL, would leave every later step of the interpreter slow.)
    """
    try:
        _raise_in(threading.get_ident())
        while True:
            pass
    except TimeLimit:
        return


class Budget:
    """The time that an answer has for all that it does together, in seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = self._left = seconds

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Take the time of what runs inside; raise TimeLimit there once nothing is left."""
        start = time.monotonic()
        try:
            with time_limit(self._left):
                yield
        finally:
            self._left = max(0.0, self._left - (time.monotonic() - start))


_watch = _Watch()


def _after_fork() -> None:
    """A forked process has no thread but its own, and a lock that may never be released."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimit in the code that runs inside once the time is over, as soon as it executes Python again."""
    limit = _Limit(threading.get_ident(), time.monotonic() + seconds)
    try:
        _watch.begin(limit)
        yield
    finally:
        while True:
            try:
                limit.over = True
                while limit.deciding:
                    time.sleep(0)
                if limit.raised:
                    _take_back()
                break
            except TimeLimit:  # it came while we were ending: it was just in time
                continue
