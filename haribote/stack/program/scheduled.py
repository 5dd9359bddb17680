"""The schedule of a step: looked for at length, or, where it is long, in a few tries.

The time that a thorough search takes grows faster than the program, to minutes at some 3,000 steps. Where MV
instructions run beside steps and take longer than those, fewer steps save nothing: then the search is short too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.isa.program import Move
from simulator.schedule import Keep, schedule, schedule_long
from simulator.schedule.overlap import floors, overlapped

LONG = 2_000
"""Steps from which on a program counts as long."""
MIDDLING = 1_000
"""The same where MV instructions bind what a few tries find."""
BIND = 0.75
"""The share of its overlapped cycles that a program's moves take alone when these count as what binds it."""
EFFORT = 3
"""How long to look for fewer steps: of some 400 instructions, 240 tries of a few milliseconds each."""
ENOUGH = 0.98
"""The same share when nothing is to be won any more by fewer steps."""


def mended(lines: Sequence[str], warnings: bool = False) -> Program:
    """Lines as a program, with the nops that its waits ask for; with `warnings`, also those that are only warned of."""
    program = assemble("\n".join(lines) + "\n")
    return assemble(fix_nops(program, warnings), "step.vsm")


def cut(program: Program, pieces: Iterable[Sequence[str]]) -> Iterator[Program]:
    """A program in the pieces from whose lines, one after another, it was `mended`; a nop is of the piece whose line
    waits."""
    texts, lines, last = enumerate(program.source.splitlines(), 1), deque(program.lines), 0
    for piece in pieces:
        for text in piece:
            last = next((number for number, other in texts if other == text), last)
        own = []
        while lines and lines[0].line <= last:
            own.append(lines.popleft())
        yield Program(program.filename, tuple(own))


def scheduled(plain: Program, keep: Keep, quick: bool = False, first: Program | None = None) -> Program:
    """A program with as few steps as are found. plain: with its nops; keep: what must be right at the end; quick: found
    in the first tries, in the buffers that there are; first: what `schedule_long` finds, where that is known."""
    if quick and plain.steps <= LONG:
        return schedule(plain, keep=keep)
    long = plain.steps > LONG
    if long or plain.steps > MIDDLING:
        found = schedule_long(plain) if first is None else first
        if long or _moves_take(found, BIND):
            return found
    found = schedule(plain, rename=True, effort=EFFORT, keep=keep, enough=_moves_are_all)
    if not any(isinstance(line, Move) for line in found.lines) or _moves_are_all(found):
        return found
    return min(found, schedule_long(found), key=overlapped)  # the other minds how long MV instructions take


class Segment(NamedTuple):
    """Lines between two products of templates, with what must be right at their end; or, with None, the lines of a
    template, whose order is its own."""

    lines: tuple[str, ...]
    keep: Keep | None


def in_segments(
    plain: Program, segments: Sequence[Segment], quick: bool = False, first: Program | None = None
) -> Program:
    """A program with as few steps as are found: the scheduler works between the templates. plain: all segments, with
    nops; quick, first: as in `scheduled`."""
    if all(segment.keep is None for segment in segments):
        return mended(plain.source.splitlines(), warnings=True)
    if len(segments) == 1 and segments[0].keep is not None:
        return scheduled(plain, segments[0].keep, quick, first)
    lines: list[str] = []
    for segment in segments:
        if segment.keep is None:
            lines += segment.lines
        else:
            lines += scheduled(mended(segment.lines), segment.keep, quick).source.splitlines()
    return mended(tuple(lines), warnings=True)


def _moves_are_all(program: Program) -> bool:
    """Whether its MV instructions alone take about as long as the whole program with its steps beside them."""
    return _moves_take(program, ENOUGH)


def _moves_take(program: Program, share: float) -> bool:
    """Whether its MV instructions alone take so much of the time of the program with its steps beside them."""
    least = floors(program)
    return max(least.moves, least.issue) >= share * overlapped(program)
