"""Where the time of a compilation goes: CPU seconds of each stage, and a line now and then of one that takes long.

Whoever compiles says `with stage("planning", nodes) as done:` and calls `done(number)` as nodes are done; of a stage
that goes over all nodes several times also which round it is, since the nodes begin anew with each. Nothing is said,
and next to nothing measured, unless someone listens: `with listening(say) as watch:`. Front ends, whose users call no
command, compile `with aloud():`, which says it on standard error; the variable HARIBOTE_PROGRESS=0 keeps that quiet.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from simulator.messages import tr

QUIET = 2.0
"""Wall seconds without a line: from the beginning of the first stage on, and between two lines."""
VARIABLE = "HARIBOTE_PROGRESS"
Say = Callable[[str], object]
Done = Callable[[int], None]


class Watch:
    """seconds: CPU seconds of each stage so far, without the stages within it."""

    def __init__(self, say: Say | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._say, self._next = say, inf
        self._within: list[str] = []
        self._since = time.process_time()

    def begin(self, name: str, total: int, turn: int = 0) -> None:
        """A stage of so many nodes begins; 0: nobody knows how many. turn: the number of the round; 0: the only one."""
        if not self.seconds:
            self._next = time.monotonic() + QUIET
        self._count()
        self._within.append(name)
        self.seconds.setdefault(name, 0.0)
        self.tell(name, 0, total, turn)

    def end(self) -> None:
        """The latest stage ends."""
        self._count()
        self._within.pop()

    def tell(self, name: str, number: int, total: int, turn: int = 0) -> None:
        """Say how far a stage is, if it is time for it."""
        now = time.monotonic()
        if self._say is None or now < self._next:
            return
        self._next = now + QUIET
        if not total:
            self._say(tr("stage {name} is under way", name))
        elif not turn:
            self._say(tr("stage {name}, {number} of {total} nodes done", name, number, total))
        else:
            self._say(tr("stage {name}, round {turn}, {number} of {total} nodes done", name, turn, number, total))

    def report(self) -> str:
        """A line for each stage, in the order in which they began."""
        if not self.seconds:
            return tr("no CPU time: what was compiled before was read from the cache\n")
        lines = [
            tr("stage {name} took {seconds:.2f} CPU seconds", name, seconds) for name, seconds in self.seconds.items()
        ]
        return "\n".join([*lines, tr("all stages took {values:.2f} CPU seconds", sum(self.seconds.values())), ""])

    def _count(self) -> None:
        now = time.process_time()
        if self._within:
            self.seconds[self._within[-1]] += now - self._since
        self._since = now


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def listening(say: Say | None = None) -> Iterator[Watch]:
    """Measure what is compiled within. say: what is told every two seconds; None: nothing."""
    watch = Watch(say)
    token = _watch.set(watch)
    try:
        yield watch
    finally:
        _watch.reset(token)


@contextmanager
def aloud() -> Iterator[None]:
    """What is compiled within is told on standard error, unless someone listens already."""
    if _watch.get() is not None or os.environ.get(VARIABLE) == "0":
        yield
        return
    with listening(lambda text: print(f"haribote: {text}", file=sys.stderr, flush=True)):
        yield


@contextmanager
def stage(name: str, total: int = 0, turn: int = 0) -> Iterator[Done]:
    """A stage of a compilation, by the name that `--stop-after` takes, or a Text. total: its nodes; turn: the number of
    the round, where there are several.
    """
    watch = _watch.get()
    if watch is None:
        yield lambda number: None
        return
    watch.begin(name, total, turn)
    try:
        yield lambda number: watch.tell(name, number, total, turn)
    finally:
        watch.end()
