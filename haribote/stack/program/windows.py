"""The schedule of a step: of the whole of it, or, where it is long, of some actions at a time.

The time that a schedule takes grows faster than the program, to minutes at some 3,000 steps. So a longer program is
scheduled in windows: each does what its lines do and leaves all memories as they do, so windows may follow each other.
What belongs to two of them is not merged, and buffers keep their addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.schedule import Keep, schedule

WHOLE = 2_000
"""Steps up to which a program is scheduled as one."""
WINDOW = 800
"""Lines of a window, at least; one action's lines stay together, and more than WHOLE of them stay as they are."""


def mended(lines: Sequence[str]) -> Program:
    """Lines as a program, with the nops that its waits ask for."""
    program = assemble("\n".join(lines) + "\n")
    return assemble(fix_nops(program), "step.vsm")


def scheduled(pieces: Sequence[Sequence[str]], plain: Program, keep: Keep) -> Program:
    """A program with as few steps as are found. pieces: its lines action by action; plain: all of them, mended; keep:
    what must be right at the end.
    """
    if plain.steps <= WHOLE:
        return schedule(plain, rename=True, keep=keep)
    found = mended([line for window in windows(pieces) for line in alone(window).source.splitlines()])
    return found if found.steps < plain.steps else plain


def windows(pieces: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The lines of the pieces, as many pieces at a time as make a window."""
    window: list[str] = []
    for lines in pieces:
        window += lines
        if len(window) >= WINDOW:
            yield window
            window = []
    if window:
        yield window


def alone(lines: Sequence[str]) -> Program:
    """A program that leaves all memories as these lines do; as they are, where they are many."""
    plain = mended(lines)
    return schedule(plain) if plain.steps <= WHOLE else plain
