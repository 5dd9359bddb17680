"""The schedule of a step: looked for at length, or, where it is long, in a few tries.

The time that a thorough search takes grows faster than the program, to minutes at some 3,000 steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator import Program, assemble
from simulator.assembly.checks import fix_nops
from simulator.schedule import Keep, schedule, schedule_long

LONG = 2_000
"""Steps from which on a program counts as long."""
EFFORT = 6
"""How long to look for a short one: of some 400 instructions, 500 tries of a few milliseconds each."""


def mended(lines: Sequence[str]) -> Program:
    """Lines as a program, with the nops that its waits ask for."""
    program = assemble("\n".join(lines) + "\n")
    return assemble(fix_nops(program), "step.vsm")


def scheduled(plain: Program, keep: Keep) -> Program:
    """A program with as few steps as are found. plain: with its nops; keep: what must be right at the end."""
    return schedule(plain, rename=True, effort=EFFORT, keep=keep) if plain.steps <= LONG else schedule_long(plain)
