"""Maps written by hand, and those of a train step that was written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.maps import COPY, UNIT_BITS, Bit, BitMap, W, address


def unit(level: str) -> list[Bit]:
    return [Bit(level, number) for number in range(UNIT_BITS[level])]


def at(*numbers: int) -> list[Bit]:
    return [address(number) for number in numbers]


NEAR = [W, *unit("PE")]
MAB, L1B = unit("MAB"), unit("L1B")
L2B = [*unit("L2B"), *unit("group")]


def make(shape: Sequence[int], copies: Sequence[Bit] = (), **axes: Sequence[Bit]) -> BitMap:
    """i, j, …: the places of an axis's bits, lowest first."""
    empty = BitMap("LM", tuple(shape), ())
    table = dict.fromkeys(copies, COPY)
    for bits, places in zip(empty.axes, axes.values(), strict=True):
        table |= dict(zip(places, bits, strict=True))
    return BitMap.of("LM", shape, table)


COLUMNS = make((256, 16), i=NEAR + at(0, 1) + L1B, j=MAB, copies=L2B)
"""A 256x16 tensor whose columns are at the MABs and whose rows are near."""
