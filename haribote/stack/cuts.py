"""A move that is too large for the buffers on its way is cut into two halves, along an index bit that is at an address
on both sides: each half is a tensor of half the size at an address of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from haribote.stack.maps import Bit, BitMap
from haribote.stack.places import BANKS, UNIT_LONGS, Place

Ends = tuple[Place, tuple[Place, ...]]
"""Where a move begins, and all places where it ends."""


def halves(source: Place, *targets: Place) -> tuple[Ends, Ends] | None:
    """The two halves of a move; None where no index bit of an axis that is a power of two (`BitMap.padded`) is at an
    address on both sides, high enough for the places' alignment.
    """
    places = (source, *targets)
    axes = zip(source.map.shape, source.map.axes, strict=True)
    even = [index for size, bits in axes if size == 1 << len(bits) for index in bits]
    bits = [index for index in even if all(can_cut(place, index) for place in places)]
    if not bits:
        return None
    index = max(bits, key=lambda index: (_address(source.map, index).number, _address(targets[0].map, index).number))
    first, second = (tuple(half(place, index, number) for place in places) for number in range(2))
    return (first[0], first[1:]), (second[0], second[1:])


def can_cut(place: Place, index: int) -> bool:
    """True where an index bit stands at one bit of the address, and nowhere else, and both halves begin where places
    may begin.
    """
    bits = place.map.places.get(index, ())
    lowest = 2 if place.memory in BANKS else UNIT_LONGS
    return len(bits) == 1 and bits[0].level == "address" and 1 << bits[0].number >= lowest


def _address(found: BitMap, index: int) -> Bit:
    return found.places[index][0]


def half(place: Place, index: int, number: int) -> Place:
    """The part of a tensor in which an index bit is `number`."""
    bit = _address(place.map, index)
    step = (1 << bit.number) * (2 if place.memory in BANKS else 1)
    return replace(place, address=place.address + number * step, map=without(place.map, index))


def without(found: BitMap, index: int) -> BitMap:
    """The map of a tensor whose axis with this bit is half as long."""
    shape = tuple(size // 2 if index in bits else size for size, bits in zip(found.shape, found.axes, strict=True))
    table = {bit: carry - (carry > index) for bit, carry in _left(found, index)}
    return BitMap.of(found.memory, shape, table)


def _left(found: BitMap, index: int) -> Iterator[tuple[Bit, int]]:
    return ((bit, carry) for bit, carry in found.carries if carry != index)
