"""A move that is too large for the buffers on its way is cut into two halves, along an index bit that is at an address
on both sides: each half is a tensor at an address of its own, of half the size where the axis is a power of two.
Of another axis, of size 287 for instance, those indices whose bit 5 is 0 are 159, of which 128 have a 1 there; without
that bit they are the first ones of two shorter axes.
"""

from __future__ import annotations

from dataclasses import replace

from haribote.stack.maps import Bit, BitMap, axis_bits
from haribote.stack.places import BANKS, UNIT_LONGS, Place

Ends = tuple[Place, tuple[Place, ...]]
"""Where a move begins, and all places where it ends."""


def halves(source: Place, *targets: Place) -> tuple[Ends, Ends] | None:
    """The two halves of a move; None where no index bit that leaves halves is at an address on both sides, high enough
    for the places' alignment.
    """
    places = (source, *targets)
    bits = [index for index in range(source.map.width) if all(can_cut(place, index) for place in places)]
    if not bits:
        return None

    def key(index: int) -> tuple[int, int, int]:
        lost = sum(not _at_address(place, bit) for place in places for bit in _gone(place.map, index, 1))
        return -lost, _address(source.map, index).number, _address(targets[0].map, index).number

    index = max(bits, key=key)
    first, second = (tuple(half(place, index, number) for place in places) for number in range(2))
    return (first[0], first[1:]), (second[0], second[1:])


def _gone(found: BitMap, index: int, number: int) -> set[int]:
    """The index bits that say nothing any more where one of them is known: itself, and those of its axis that are 0 in
    all that is left of it.
    """
    size, bits = next(axis for axis in zip(found.shape, found.axes, strict=True) if index in axis[1])
    left = [bit for bit in bits if bit != index]
    return {index, *left[axis_bits(_half_of(size, index - bits.start, number)) :]}


def _at_address(place: Place, index: int) -> bool:
    return all(bit.level == "address" for bit in place.map.places.get(index, ()))


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
    return replace(place, address=place.address + number * step, map=without(place.map, index, number))


def without(found: BitMap, index: int, number: int = 0) -> BitMap:
    """The map of a tensor of those elements whose index has this bit 0 or, with number 1, 1."""
    axes = zip(found.shape, found.axes, strict=True)
    shape = tuple(_half_of(size, index - bits.start, number) if index in bits else size for size, bits in axes)
    gone = _gone(found, index, number)
    kept = [other for other in range(found.width) if other not in gone]
    new = {other: place for place, other in enumerate(kept)}
    table = {bit: new.get(carry, carry) for bit, carry in found.carries if carry not in gone}
    return BitMap.of(found.memory, shape, table)


def _half_of(size: int, bit: int, number: int) -> int:
    """How many indices below a size have a bit 0, or 1: without that bit they are the first so many."""
    whole, rest = divmod(size, 2 << bit)
    return (whole << bit) + max(min(rest - (number << bit), 1 << bit), 0)
