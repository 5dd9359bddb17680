"""Each instruction family of a train step by itself: the step's own lines, without what the other units do in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from haribote.chip.program import Compiled, ProgramPart
from simulator.isa.program import Instruction, Line, Move, Program, Step

ENOUGH = 200
"""Lines of a program by which starting it costs next to nothing."""

_Test = Callable[[Instruction], bool]


def _unit(*units: str) -> _Test:
    return lambda instruction: instruction.unit in units


def _vector(*precisions: str) -> _Test:
    return lambda i: i.unit == "mau" and i.op.startswith("v") and i.precision in precisions


FAMILIES: Mapping[str, _Test] = {
    "ALU": lambda instruction: instruction.unit == "alu" and instruction.op != "bfn",
    "MAU single": _vector("f", "h"),
    "MAU double": lambda i: i.unit == "mau" and i.precision == "d",
    "matrix write": _unit("mau-write"),
    "matrix read": _unit("mau-read"),
    "g products": lambda i: i.unit == "mau" and i.op.startswith("m") and i.precision == "g",
    "block floats": lambda instruction: instruction.op == "bfn",
    "L1BM": _unit("l1bm"),
    "L2BM": _unit("l2bm", "l2bmdarw"),
}
"""Which instructions are in a family; MV lines, which are no instructions of a PE, are the last family."""
MOVES = "MV"


def family_lines(compiled: Compiled) -> dict[str, tuple[Line, ...]]:
    """The lines of a compiled step by family, as `lines_by_family` gives them."""
    return lines_by_family(line for p in compiled.parts if isinstance(p, ProgramPart) for line in p.program.lines)


def lines_by_family(given: Iterable[Line]) -> dict[str, tuple[Line, ...]]:
    """The lines of a program that have something of a family, and only that of it; nops are left out."""
    lines = list(given)
    steps = [line for line in lines if isinstance(line, Step)]
    found: dict[str, tuple[Line, ...]] = {}
    for name, belongs in FAMILIES.items():
        parts = [replace(s, instructions=tuple(filter(belongs, s.instructions))) for s in steps]
        found[name] = tuple(part for part in parts if part.instructions)
    found[MOVES] = tuple(line for line in lines if isinstance(line, Move))
    return {name: part for name, part in found.items() if part}


def program_of(name: str, lines: tuple[Line, ...], at_least: int = 1) -> Program:
    """A program of these lines, repeated until there are `at_least` so many."""
    return Program(f"<{name}>", lines * -(-at_least // len(lines)))
