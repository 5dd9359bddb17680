"""A whole tensor as pseudo-singles, made before it moves."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.code import Code
from haribote.stack.places import Place, operand_text
from haribote.stack.products.forms import Registers, rows
from haribote.stack.products.split import rounding, unit_matrix


def halve(code: Code, source: Sequence[Place], rounded: Sequence[Place], rest: Sequence[Place]) -> None:
    """Add the lines that write the rounded part of a tensor and the rest of it, four long words at a time.

    All places are of one map, whose long words must be a multiple of four, without holes.
    """
    longs = source[0].map.longs
    assert longs % 4 == 0 and source[0].map == rounded[0].map == rest[0].map
    register = Registers(code).load(rows(unit_matrix(code, "LM0")))
    for first in range(0, longs, 4):
        single = _group(source[0], first)
        code.add(*rounding("gbfn", single, _all(rounded, first)))
        code.add(f"gmfma ${register} -$aluf {single} $nowrite")
        code.add(f"gbfn $mauf {_all(rest, first)}")


def _all(places: Sequence[Place], first: int) -> str:
    return " ".join(_group(place, first) for place in places)


def _group(place: Place, first: int) -> str:
    """Four long words from one on."""
    return operand_text(place.memory, [place.address + 2 * (first + cycle) for cycle in range(4)])
