"""A limit on the time that code takes, in any thread and on any system, without slowing it down.

One thread of our own watches the clock and raises TimeLimit in the code that is late, again and again until it ends.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.05  # seconds until TimeLimit is raised once more in code that has caught it


class TimeLimit(BaseException):
    """The answer took too long; no `except Exception` of an answer holds it back, and no bare one for long."""


class _Watch:
    """The limits that are running now: a key, the thread that is limited, when its time ends."""

    def __init__(self) -> None:
        self.condition = threading.Condition()
        self.limits: dict[object, tuple[int, float]] = {}
        self.thread: threading.Thread | None = None

    def begin(self, key: object, seconds: float) -> None:
        with self.condition:
            self.limits[key] = (threading.get_ident(), time.monotonic() + seconds)
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, daemon=True, name="time limits")
                self.thread.start()
            self.condition.notify()

    def end(self, key: object) -> None:
        with self.condition:
            limit = self.limits.pop(key, None)
            if limit:  # what was raised but has not arrived yet must not arrive later
                _raise_in(limit[0], None)

    def _run(self) -> None:
        while True:
            with self.condition:
                now = time.monotonic()
                late = [thread for thread, end in self.limits.values() if end <= now]
                for thread in late:
                    _raise_in(thread, TimeLimit)
                ends = [end - now for _, end in self.limits.values() if end > now]
                self.condition.wait(min([*ends, *([AGAIN] if late else [])], default=None))


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread at its next step; None takes back one that has not arrived."""
    argument = ctypes.py_object(error) if error else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), argument)


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
    key, watch = object(), _watch
    watch.begin(key, seconds)
    try:
        yield
    finally:
        while True:
            try:
                watch.end(key)
                break
            except TimeLimit:  # it came while we were ending: it was just in time
                continue
