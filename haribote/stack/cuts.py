"""A move that is too large for the buffers on its way is cut into two halves, along an index bit that is at an address
on both sides: each half is a tensor at an address of its own, of half the size where the axis is a power of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    bits = [index for index in _halving(source.map, places) if all(can_cut(place, index) for place in places)]
    if not bits:
        return None
    index = max(bits, key=lambda index: (_address(source.map, index).number, _address(targets[0].map, index).number))
    first, second = (tuple(half(place, index, number) for place in places) for number in range(2))
    return (first[0], first[1:]), (second[0], second[1:])


def _halving(found: BitMap, places: Sequence[Place]) -> Iterator[int]:
    """The index bits without which there are two tensors: all of an axis that is a power of two (`BitMap.padded`), and
    the highest of another, where bits that are 0 in all that lies beyond it are at addresses.
    """
    for size, bits in zip(found.shape, found.axes, strict=True):
        if size == 1 << len(bits):
            yield from bits
        elif all(_at_address(place, index) for place in places for index in _idle(size, bits)):
            yield bits[-1]


def _idle(size: int, bits: range) -> range:
    """The index bits of an axis, its highest aside, that are 0 wherever that one is 1."""
    beyond = size - (1 << len(bits) - 1)
    return bits[axis_bits(beyond) : len(bits) - 1]


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
    axes = list(zip(found.shape, found.axes, strict=True))
    shape = tuple(_half_of(size, bits, number) if index in bits else size for size, bits in axes)
    gone = {index}
    for size, bits in axes:
        if index in bits and number and size != 1 << len(bits):
            gone.update(_idle(size, bits))
    kept = [other for other in range(found.width) if other not in gone]
    new = {other: place for place, other in enumerate(kept)}
    table = {bit: new.get(carry, carry) for bit, carry in found.carries if carry not in gone}
    return BitMap.of(found.memory, shape, table)


def _half_of(size: int, bits: range, number: int) -> int:
    """The elements of half an axis."""
    first = 1 << len(bits) - 1
    return size - first if number else min(first, size)
