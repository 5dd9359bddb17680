"""A limit on the time that code takes, in any thread and on any system, without slowing it down.

What counts is the time of the processor, so that a verdict does not depend on what else the machine is doing; code
that waits instead may take PATIENCE times as long by the clock. One thread of our own watches both and raises TimeLimit
in the code that is late, again and again until it ends.
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
PATIENCE = 3.0  # of a limit: how much longer it is by the clock than on the processor
NOT_STARTED = 254  # exit status of a process that could not be made ready for an answer
AGAIN = 0.05  # seconds until TimeLimit is raised once more in code that has caught it
SOON = 0.005  # seconds, at least, between two looks at the clocks


class TimeLimit(BaseException):
    """The answer took too long; no `except Exception` of an answer holds it back, and no bare one for long."""


@dataclass(eq=False)
class _Limit:
    """The thread that is limited, when its time ends, and what has become of it.

    end: by the clock; end_of_work: by the processor's time of this process. over: the limited code has
    ended. raised: TimeLimit has been raised in it. deciding: just now it may be.
    """

    thread: int
    end: float
    end_of_work: float
    over: bool = False
    raised: bool = False
    deciding: bool = False

    @property
    def left(self) -> float:
        """Seconds until it may be over; not positive once it is."""
        return min(self.end - time.monotonic(), self.end_of_work - time.process_time())


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
            waits = [max(SOON, left) if (left := limit.left) > 0 else AGAIN for limit in limits]
            with suppress(Empty):
                limits.append(self.new.get(timeout=min(waits, default=None)))
            limits = [limit for limit in limits if not limit.over]
            for limit in limits:
                if limit.left <= 0:
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
    """The time that an answer has for all that it does together, in seconds of the processor."""

    def __init__(self, seconds: float) -> None:
        self.seconds = self._left = seconds
        self._left_by_clock = PATIENCE * seconds

    @contextmanager
    def spending(self) -> Iterator[None]:
        """Take the time of what runs inside; raise TimeLimit there once nothing is left."""
        start, work = time.monotonic(), time.process_time()
        try:
            with time_limit(self._left, self._left_by_clock):
                yield
        finally:
            self._left = max(0.0, self._left - (time.process_time() - work))
            self._left_by_clock = max(0.0, self._left_by_clock - (time.monotonic() - start))


_watch = _Watch()


def _after_fork() -> None:
    """A forked process has no thread but its own, and a lock that may never be released."""
    global _watch
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def time_limit(seconds: float, by_clock: float | None = None) -> Iterator[None]:
    """Raise TimeLimit in the code that runs inside once the time is over, as soon as it executes Python again.

    seconds: of the processor, of the whole process. by_clock: seconds by the clock; without it, PATIENCE times as many.
    """
    by_clock = PATIENCE * seconds if by_clock is None else by_clock
    limit = _Limit(threading.get_ident(), time.monotonic() + by_clock, time.process_time() + seconds)
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
