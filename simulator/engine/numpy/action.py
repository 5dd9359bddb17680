"""What an instruction becomes when it is decoded: something to compute and something to write afterwards.

A step first computes all its instructions (every operand of all four cycles is read), then performs all writes
(isa.md, section 2). So no computed value may be a view of a memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from simulator.engine.state.memories import Flags, Memories, Words

T = TypeVar("T")


class NotExecutable(Exception):
    """A decoded line that the machine cannot execute; the run loop adds file and line."""

    def __init__(self, message: str, fix: str = "") -> None:
        """message: what cannot be executed; fix: what to try, "" where nothing is known."""
        self.message, self.fix = message, fix
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Result:
    """What a unit puts out: a datum (see elements.py), and flags [cycle, 4, pe] where a mask register receives them."""

    words: Words
    flags: Flags | None = None


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """Stores a result in one destination. Ranks order the writes of a step: what others depend on comes last."""

    store: Callable[[Memories, T], None]
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Action(Generic[T]):
    """A decoded instruction: `compute` reads, `writes` store, `latch` feeds forwarding path or turnaround register."""

    compute: Callable[[Memories], T]
    writes: tuple[Write[T], ...]
    latch: Callable[[Memories, T], None] | None = None


def latch_path(name: str) -> Callable[[Memories, Result], None]:
    """Store a unit's output where the forwarding path `name` finds it."""

    def latch(memories: Memories, result: Result) -> None:
        memories.paths[name] = result.words

    return latch
