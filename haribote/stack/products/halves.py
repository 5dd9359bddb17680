"""A whole tensor as pseudo-singles, made before it moves, and where a product finds both halves of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from haribote.stack.code import Code
from haribote.stack.maps import BitMap
from haribote.stack.places import Place
from haribote.stack.products.forms import Registers, rows
from haribote.stack.products.split import rounding, unit_matrix
from haribote.stack.products.walk import operand


def halve(code: Code, source: Sequence[Place], target: Sequence[Place]) -> None:
    """Add the lines that write the rounded part of a tensor, then the rest of it, four long words at a time.

    target: the map of `source` with a first axis of two at the address bit above. The long words of the source must be
    a multiple of four, without holes.
    """
    longs = source[0].map.longs
    assert longs % 4 == 0 and target[0].map.longs == 2 * longs
    register = Registers(code).load(rows(unit_matrix(code, "LM0")))
    for first in range(0, longs, 4):
        single = _group(source[0], first)
        code.add(*rounding("gbfn", single, _all(target, first)))
        code.add(f"gmfma ${register} -$aluf {single} $nowrite")
        code.add(f"gbfn $mauf {_all(target, longs + first)}")


def _all(places: Sequence[Place], first: int) -> str:
    return " ".join(_group(place, first) for place in places)


def _group(place: Place, first: int) -> str:
    """Four long words from one on."""
    return operand(place.memory, [place.address + 2 * (first + cycle) for cycle in range(4)])


def parts_of(halves: Sequence[Place], found: BitMap) -> list[list[Place]]:
    """The places of the rounded part and of the rest, each with the map of the tensor."""
    step = 2 << found.address_bits
    return [[replace(place, address=place.address + part * step, map=found) for place in halves] for part in range(2)]
