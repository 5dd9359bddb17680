"""Operands in other units than the output are refused, with what differs."""

from __future__ import annotations

import pytest

from haribote.layout import LayoutError
from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.vectors.addresses import operand

MAB, PE = Bit("MAB", 0), Bit("PE", 0)
COPIES = dict.fromkeys(unit_bits("LM"), COPY)


def found(shape: tuple[int, ...], carries: dict[Bit, int]) -> BitMap:
    """A map with copies at all other units."""
    return BitMap.of("LM", shape, COPIES | carries)


FIRST = found((2, 4), {W: 0, PE: 1, address(0): 2})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (found((2, 4), {W: 0, MAB: 1, PE: COPY, address(0): 2}), "has j1 in MAB 0, where the output has copy"),
        (found((2, 4), {W: 0, address(1): 1, address(0): 2}), "has copy in PE 0, where the output has j1"),
        (found((2, 4), {W: 0, PE: 1, address(0): 2, MAB: NOTHING}), "has - in MAB 0, where the output has copy"),
        (found((2, 4), {W: 0, PE: 1, address(0): 2, MAB: PART}), "is in parts along MAB 0"),
        (found((4,), {W: 0, PE: 1, address(3): NOTHING, MAB: 0}), "has j0 in MAB 0, where the output has copy"),
        (found((3,), {W: 0, PE: 1}), "is not broadcast"),
    ],
)
def test_other_units_are_refused(other: BitMap, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        operand(FIRST, other, "x", False)


def test_parts_may_stand_beside_parts_of_the_same_units() -> None:
    parts = found((2, 4), {W: 0, PE: 1, address(0): 2, MAB: PART})
    assert operand(parts, parts, "x", False).pairs == ((0, 1), (2, 3))
    with pytest.raises(LayoutError, match="is in parts along W"):
        near = found((2, 4), {W: PART, PE: 1, address(0): 2, address(1): 0})
        operand(near, near, "x", False)


def test_words_in_another_order_are_put_together() -> None:
    assert operand(FIRST, FIRST, "x", False).pairs == ((0, 1), (2, 3))
    crossed = found((2, 4), {W: 2, PE: 1, address(0): 0})
    assert operand(FIRST, crossed, "x", False).pairs == ((0, 2), (1, 3))
    column = found((2, 1), {W: 0})
    assert operand(FIRST, column, "x", False).pairs == ((0, 0), (1, 1))
    with pytest.raises(LayoutError):
        operand(FIRST, crossed, "x", True)
