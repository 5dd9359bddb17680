"""Emitted moves, run on random words."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.moved import failure
from haribote.stack.moves import Move, alone, beside, from_dram, of_lines, to_dram
from haribote.stack.places import Place
from simulator.assembly.checks import check


def sound(source: Place, *targets: Place, combine: str = "", padding: bool = True) -> Move:
    """A move as a program, which does what it says and of which the checker finds nothing."""
    found = alone(source, *targets, combine=combine, padding=padding)
    assert failure(found) == ""
    assert check(found.program) == []
    return found


def loaded(address: int, *targets: Place, fill: float | None = None) -> Move:
    """What comes down from DRAM, as a program."""
    code = beside(*targets)
    source = Place("DRAM", address, from_dram(code, address, targets, fill))
    return replace(of_lines([*code.setup, *code.lines], source, targets[0]), also=targets[1:])


def stored(source: Place, address: int) -> Move:
    """What goes up to DRAM, as a program."""
    code = beside(source)
    target = Place("DRAM", address, to_dram(code, source, address))
    return of_lines([*code.setup, *code.lines], source, target)
