"""Emitted moves, run on random words."""

from __future__ import annotations

from dataclasses import replace

from haribote.stack.code import Code
from haribote.stack.moves import Move, emit, from_dram, of_lines, to_dram
from haribote.stack.places import BANKS, Place
from haribote.stack.verify import failure
from simulator.assembly.checks import check


def code_beside(*places: Place) -> Code:
    """A program whose room does not touch the places."""
    code = Code()
    for place in places:
        first = place.address if place.memory in BANKS else -(-place.address // 64) * 64
        code.take(first + place.words, [place.memory]) if place.memory != "DRAM" else code.dram(first + place.words)
    return code


def emitted(source: Place, *targets: Place, combine: str = "", padding: bool = True) -> Move:
    """A move as a program, its setup before it."""
    code = code_beside(source, *targets)
    emit(code, source, targets, combine, padding)
    found = of_lines([*code.setup, *code.lines], source, targets[0])
    return replace(found, also=targets[1:], combine=combine, scratch=True)


def sound(source: Place, *targets: Place, combine: str = "", padding: bool = True) -> Move:
    """The same, which does what it says and of which the checker finds nothing."""
    found = emitted(source, *targets, combine=combine, padding=padding)
    assert failure(found) == ""
    assert check(found.program) == []
    return found


def loaded(address: int, *targets: Place, fill: float | None = None) -> Move:
    """What comes down from DRAM, as a program."""
    code = code_beside(*targets)
    source = Place("DRAM", address, from_dram(code, address, targets, fill))
    return replace(of_lines([*code.setup, *code.lines], source, targets[0]), also=targets[1:])


def stored(source: Place, address: int) -> Move:
    """What goes up to DRAM, as a program."""
    code = code_beside(source)
    target = Place("DRAM", address, to_dram(code, source, address))
    return of_lines([*code.setup, *code.lines], source, target)
