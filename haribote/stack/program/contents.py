"""What every word of a version's room must hold: the definition that programs are checked against.

Made from the meaning of a map alone: place by place, which bits of the index it carries. Nothing here is shared with
the moves, which go the other way, from hop to hop.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.stack.maps import NOTHING, PART, UNITS, Bit, BitMap
from simulator import isa

Ints = NDArray[np.int64]
ANYTHING = -1
"""In a table of contents: a word that belongs to no element."""
COUNTS = {"group": isa.GROUPS, "L2B": isa.L2BS_PER_GROUP} | dict(zip(("L1B", "MAB", "PE"), isa.TREE[1:], strict=True))


def units_of(found: BitMap) -> int:
    """How many units the memory of a map has."""
    return prod(COUNTS[level] for level in UNITS[found.memory])


def _weight(found: BitMap, level: str) -> int:
    """How many units of the memory are in one of a level."""
    levels = UNITS[found.memory]
    return prod(COUNTS[below] for below in levels[levels.index(level) + 1 :])


def bit_values(found: BitMap, bit: Bit) -> NDArray[np.int64]:
    """The value of a bit of the place, to be broadcast over [unit, long word, word]."""
    if bit.level == "address":
        return (np.arange(found.longs) >> bit.number & 1)[None, :, None]
    if bit.level == "W":
        return np.arange(2)[None, None, :]
    number = np.arange(units_of(found)) // _weight(found, bit.level) % COUNTS[bit.level]
    return (number >> bit.number & 1)[:, None, None]


def contents(found: BitMap, split: tuple[tuple[int, ...], ...], shape: tuple[int, ...]) -> Ints:
    """The element at every word of the room: int64 [unit, word], flat in the value's shape; as many as there are
    elements where a word holds the fill, ANYTHING where it belongs to nothing.

    Copies, and parts of a sum, name the element that they belong to. split, shape: of the value.
    """
    index = np.zeros((units_of(found), found.longs, 2), np.int64)
    nothing = np.zeros(index.shape, np.bool_)
    disagree = np.zeros(index.shape, np.bool_)
    first: dict[int, Bit] = {}
    for bit, carry in found.carries:
        value = bit_values(found, bit)
        if carry == NOTHING:
            nothing |= value != 0
        elif carry in first:  # a stride such as 2_L2B:3: both bits must be the same
            disagree |= value != bit_values(found, first[carry])
        elif carry >= 0:
            index |= value << carry
            first[carry] = bit
    used = {bit.number for bit, _ in found.addresses}
    for number in range(found.address_bits):
        if number not in used:
            nothing |= bit_values(found, Bit("address", number)) != 0
    flat, inside = _flat(found, split, shape, index)
    table = np.where(inside, flat, prod(shape))
    return np.where(nothing | disagree, ANYTHING, table).reshape(len(index), -1)


def _flat(
    found: BitMap, split: tuple[tuple[int, ...], ...], shape: tuple[int, ...], index: Ints
) -> tuple[Ints, NDArray[np.bool_]]:
    """Elements, flat in the value's shape, from the bits of indices of the map; and which of them there are."""
    parts = iter([index >> bits.start & (1 << len(bits)) - 1 for bits in found.axes])
    inside = np.ones(index.shape, np.bool_)
    flat = np.zeros(index.shape, np.int64)
    for axis, size in zip(split, shape, strict=True):
        along = np.zeros(index.shape, np.int64)
        for length in axis:
            part = next(parts)
            inside &= part < length
            along = along * length + part
        inside &= along < size
        flat = flat * size + along
    return flat, inside


class Parts(NamedTuple):
    """Which bits of a unit's number and of a word's are parts of a sum."""

    units: int
    words: int


def parts_of(found: BitMap) -> Parts:
    """The bits of a map that carry PART, as masks of the unit's number and of the word within the room."""
    units = words = 0
    for bit, carry in found.carries:
        if carry != PART:
            continue
        if bit.level in ("address", "W"):
            words |= 1 if bit.level == "W" else 2 << bit.number
        else:
            units |= _weight(found, bit.level) << bit.number
    return Parts(units, words)
