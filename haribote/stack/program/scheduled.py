"""The schedule of a step: looked for at length, or, where it is long, in a few tries.

The time that a thorough search takes grows faster than the program, to minutes at some 3,000 steps. Where MV
instructions run beside steps and take longer than those, fewer steps save nothing: then the search is short too.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.schedule import Keep, schedule, schedule_long
from simulator.schedule.overlap import floors, overlapped

LONG = 2_000
"""Steps from which on a program counts as long."""
EFFORT = 6
"""How long to look for fewer steps: of some 400 instructions, 500 tries of a few milliseconds each."""
SLACK = 0.02
"""The share of its overlapped cycles that a program may take beyond its moves, when these count as what binds it."""


def mended(lines: Sequence[str]) -> Program:
    """Lines as a program, with the nops that its waits ask for."""
    program = assemble("\n".join(lines) + "\n")
    return assemble(fix_nops(program), "step.vsm")


def scheduled(plain: Program, keep: Keep) -> Program:
    """A program with as few steps as are found. plain: with its nops; keep: what must be right at the end."""
    if plain.steps > LONG:
        return schedule_long(plain)
    found = schedule(plain, rename=True, keep=keep)
    return found if _moves_bind(found) else schedule(plain, rename=True, effort=EFFORT, keep=keep)


def _moves_bind(program: Program) -> bool:
    """Whether its MV instructions alone take about as long as the whole program with its steps beside them."""
    least = floors(program)
    return max(least.moves, least.issue) >= (1 - SLACK) * overlapped(program)
