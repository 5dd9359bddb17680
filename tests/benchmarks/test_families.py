"""Families of instructions."""

from __future__ import annotations

from benchmarks.families import ENOUGH, MOVES, family_lines, program_of
from haribote.chip.program import ProgramPart
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator.isa.program import Move, Step


def test_every_instruction_of_the_step_is_in_one_family() -> None:
    compiled = SimBackend(mlp(784, 16, 10), 0.01, 256, solutions=True, engine="numpy").compiled
    families = family_lines(compiled)
    lines = [line for part in compiled.parts if isinstance(part, ProgramPart) for line in part.program.lines]
    wanted = [(s.line, i) for s in lines if isinstance(s, Step) if not s.is_nop for i in s.instructions]
    found = [(s.line, i) for part in families.values() for s in part if isinstance(s, Step) for i in s.instructions]
    assert len(families) == 10 and sorted(found, key=repr) == sorted(wanted, key=repr)
    assert families[MOVES] == tuple(line for line in lines if isinstance(line, Move))
    repeated = program_of("MAU double", families["MAU double"], ENOUGH).lines
    assert ENOUGH <= len(repeated) < ENOUGH + len(families["MAU double"])
