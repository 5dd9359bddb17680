"""One line assembled."""

from __future__ import annotations

from simulator.assembly.assembler import assemble
from simulator.isa.program import Instruction, Step


def one(text: str) -> Instruction:
    """The only instruction of a one-line program."""
    (line,) = assemble(text).lines
    assert isinstance(line, Step)
    (instruction,) = line.instructions
    return instruction
