"""Bringing to every PE what it needs of a tensor: the map that does it with the fewest words, and the moves.

Bits of the index on which every PE agrees with all that it needs (it is 0 or 1 in a unit as in all elements that the
unit's PEs need) stay the number of that unit. The others become addresses, so that every PE has both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from haribote.stack import moves
from haribote.stack.code import Code
from haribote.stack.maps import COPY, NOTHING, UNITS, Bit, BitMap, Memory, W, address, unit_bits
from haribote.stack.picks.held import Ints, elements, in_unit, pe_weight, word_weight
from haribote.stack.places import BANKS, NoRoom, Place
from simulator import isa
from simulator.messages import tr

Bools = NDArray[np.bool_]
_PE_BITS = isa.ALL_PES.bit_length() - 1


@dataclass(frozen=True, eq=False)
class Wants:
    """May a PE need an element whose bit i is 0, or 1? may: bool [index bit, 2, 4096]."""

    may: Bools

    @staticmethod
    def of(numbers: Ints, width: int) -> Wants:
        """Of element numbers [word, 4096]; negative ones want nothing."""
        bits = np.arange(width)[:, None]
        ones = np.bitwise_or.reduce(np.maximum(numbers, 0), axis=0)
        zeros = ~np.bitwise_and.reduce(np.where(numbers < 0, -1, numbers), axis=0)
        seen = zeros, ones
        return Wants(np.stack([(found >> bits & 1).astype(np.bool_) for found in seen], axis=1))

    @staticmethod
    def anything(target: BitMap, source: BitMap) -> Wants:
        """Where the PEs that hold a target may want anything of a source."""
        wanting: Bools = np.asarray((elements(target) >= 0).any(axis=0))
        return Wants(np.broadcast_to(wanting, (source.width, 2, len(wanting))))

    @cached_property
    def _wanting(self) -> NDArray[np.float32]:
        """How many PEs may need an element whose bit is 0, or 1, by a bit of the PE's number: [index bit, 2, bit of the
        number, 2]."""
        ones = (np.arange(isa.ALL_PES)[:, None] >> np.arange(_PE_BITS) & 1).astype(np.float32)
        return np.stack([self.may.astype(np.float32) @ found for found in (1 - ones, ones)], axis=-1)

    def agrees(self, index: int, bit: Bit) -> bool:
        """True where an index bit may be the number of a unit."""
        found = self._wanting[index, :, pe_weight(bit).bit_length() - 1]
        return not found[0, 1] and not found[1, 0]

    def values(self, index: int) -> list[int]:
        """The values of an index bit that any PE needs; 0 where none needs anything."""
        return [value for value in (0, 1) if self.may[index][value].any()] or [0]

    def reaches(self, bit: Bit) -> bool:
        """True where a PE in a unit whose number has this bit needs anything."""
        return bool(self._wanting[:, :, pe_weight(bit).bit_length() - 1, 1].any())


def gathered(source: BitMap, wants: Wants, small: bool = False) -> BitMap:
    """The map in PEs that has all that is wanted. small: with the fewest words; otherwise words that are in their PE
    already stay where they are.
    """
    carries: dict[Bit, int] = {}
    left: list[int] = []
    for index, bits in sorted(source.places.items()):
        stay = [bit for bit in bits if _stays(bit, index, source, wants, small) and bit not in carries]
        if stay:
            carries[stay[0]] = index
        else:
            left.append(index)
    for index in list(left):
        free = [bit for bit in unit_bits("LM") if bit not in carries and wants.agrees(index, bit)]
        if free:
            carries[free[0]] = index
            left.remove(index)
    number = 0
    for index in left:
        while address(number) in carries:
            number += 1
        carries[address(number)] = index
    for bit in unit_bits("LM"):
        carries.setdefault(bit, COPY if source[bit] == COPY or wants.reaches(bit) else NOTHING)
    carries.setdefault(W, source[W])
    return BitMap.of("LM", source.shape, carries)


def _stays(bit: Bit, index: int, source: BitMap, wants: Wants, small: bool) -> bool:
    if bit == W:
        return True
    if in_unit(bit):
        return wants.agrees(index, bit)
    return source.memory == "LM" and not small


@dataclass(frozen=True, eq=False)
class SpreadLoad:
    """A part of a tensor on its way to LM0: the elements whose numbers have `value` in the bits of `mask`.

    source: where the part is; map: how it will lie in the PEs; weights: what every index bit adds to a word's number.
    """

    source: Place
    map: BitMap
    mask: int
    value: int
    weights: tuple[tuple[int, int], ...]

    @property
    def words(self) -> int:
        """Words that it takes up in every PE."""
        return -(-2 * self.map.longs // 4) * 4

    @property
    def there(self) -> bool:
        """True where nothing has to be moved."""
        return self.source.memory == "LM0" and self.source.map.satisfies(self.map)

    def has(self, numbers: Ints) -> Bools:
        """Which elements are in this part."""
        found: Bools = numbers >= 0
        return found & (numbers & self.mask == self.value) if self.mask else found

    def word(self, numbers: Ints) -> Ints:
        """The words in which they are, from the part's first one on."""
        bits = 1 + max((index for index, _ in self.weights), default=0)
        if 1 << bits < numbers.size:
            found: Ints = self._words(np.arange(1 << bits, dtype=np.int32))[numbers & (1 << bits) - 1]
            return found
        return self._words(numbers)

    def _words(self, numbers: Ints) -> Ints:
        total = np.zeros_like(numbers)
        for first, count, weight in _runs(self.weights):
            total += (numbers >> first & (1 << count) - 1) * weight
        return total

    def bring(self, code: Code, start: int) -> None:
        """Adds the lines that bring it to words from `start` on in LM0."""
        source, found = self.source, self.map
        if found[W] == NOTHING:  # the second words come along: whatever they hold, nobody reads it
            source, found = replace(source, map=_with_second_words(source.map)), _with_second_words(found)
        _moved(code, source, Place("LM0", start, found))


def _runs(weights: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Neighbouring bits, each of twice the weight of the one before, together: the first, how many, its weight."""
    found: list[tuple[int, int, int]] = []
    for index, weight in sorted(weights):
        first, count, start = found[-1] if found else (0, 0, 0)
        if index == first + count and weight == start << count:
            found[-1] = first, count + 1, start
        else:
            found.append((index, 1, weight))
    return found


def _with_second_words(found: BitMap) -> BitMap:
    carries = {bit: carry + 1 if carry >= 0 else carry for bit, carry in found.carries} | {W: 0}
    return BitMap.of(found.memory, (*found.shape, 2), carries)


def loads(code: Code, source: Place, wants: Wants, room: int) -> Iterator[SpreadLoad]:
    """The parts of a tensor, each of at most `room` words, one after another: where a part is not needed any more, the
    next may take its place. Adds the lines that bring a tensor to where it can be taken apart.
    """
    found = gathered(source.map, wants)
    there = source.memory == "LM0" and source.map.satisfies(found)
    if not there and 2 * found.longs > room:
        found = gathered(source.map, wants, small=True)
    fixed = [] if there or 2 * found.longs <= room else _fixed(source, found, wants, room)
    if not all(_apart(source, index) for index in fixed):
        source = _staged(code, source, found, fixed)
    mask = sum(1 << index for index in fixed)
    weights = _weights(found, fixed)
    for values in product(*(wants.values(index) for index in fixed)):
        value = sum(v << index for index, v in zip(fixed, values, strict=True))
        yield SpreadLoad(_part(source, fixed, value), _without(found, fixed), mask, value, weights)


def _fixed(source: Place, found: BitMap, wants: Wants, room: int) -> list[int]:
    """The index bits that tell parts apart: those that only one value of is wanted, and those that are addresses
    already, first; or the highest.
    """
    lines = sorted((bit.number, carry) for bit, carry in found.addresses if carry >= 0)
    lines.sort(key=lambda line: (_apart(source, line[1]), len(wants.values(line[1])) < 2, line[0]))
    count = len(lines) + 2 - room.bit_length()  # 2 << len(lines) words are there
    if count > len(lines):
        raise NoRoom(tr("a gather needs 2 words of LM0 at least; there are {room}", room))
    return [index for _, index in lines[len(lines) - count :]][::-1]


def _apart(source: Place, index: int) -> bool:
    """True where the two halves of a tensor that differ in an index bit are places of their own."""
    lowest = 1 if source.memory in BANKS else 6
    return all(bit.level == "address" and bit.number >= lowest for bit in source.map.places[index])


def _moved(code: Code, source: Place, target: Place) -> None:
    """Adds the lines of a move; of both halves one after another, where the whole does not fit on the way."""
    try:
        moves.emit(code, source, target, padding=False)
    except NoRoom:
        apart = [i for i in range(source.map.width) if _apart(source, i) and _apart(target, i)]
        if not apart:
            raise
        for value in (0, 1 << apart[-1]):
            _moved(code, _part(source, apart[-1:], value), _part(target, apart[-1:], value))


def _weights(found: BitMap, fixed: Sequence[int]) -> tuple[tuple[int, int], ...]:
    left = [index for index in range(found.width) if index not in fixed]
    standing = _without(found, fixed).carries
    return tuple((left[carry], word_weight(bit)) for bit, carry in standing if carry >= 0 and not in_unit(bit))


def _without(found: BitMap, fixed: Sequence[int]) -> BitMap:
    """The map of a part, in which these index bits are known: a row of the bits that are left."""
    if not fixed:
        return found
    part = _with_gaps(found, fixed)
    if found.memory != "LM":
        return part
    carries = {bit: carry for bit, carry in part.carries if bit.level != "address"}
    carries |= {address(number): carry for number, (_, carry) in enumerate(part.addresses)}
    return BitMap.of(found.memory, part.shape, carries)


def _part(source: Place, fixed: Sequence[int], value: int) -> Place:
    """Where a part is in a tensor that can be taken apart."""
    if not fixed:
        return source
    offset = sum(((value >> source.map[bit]) & 1) << bit.number for bit, c in source.map.carries if c in fixed)
    scale = 2 if source.memory in BANKS else 1
    return Place(source.memory, source.address + scale * offset, _with_gaps(source.map, fixed))


def _with_gaps(found: BitMap, fixed: Sequence[int]) -> BitMap:
    """The same where it lies now: what stood at the addresses of these bits is left free."""
    left = [index for index in range(found.width) if index not in fixed]
    names = {index: number for number, index in enumerate(left)}
    carries = {bit: names.get(c, NOTHING) if c >= 0 else c for bit, c in found.carries}
    return BitMap.of(found.memory, (1 << len(left),), carries)


_STAGES: tuple[Memory, ...] = ("L2BM", "PDM", "DRAM")


def _staged(code: Code, source: Place, found: BitMap, fixed: Sequence[int]) -> Place:
    """The tensor where the bits of its parts are addresses, which it is moved to if they are not."""
    for memory in _STAGES:
        stage = _stage(memory, found, fixed)
        try:
            start = code.dram(stage.longs) if memory == "DRAM" else code.take(stage.longs, (memory,), 64).address
        except NoRoom:
            continue
        place = Place(memory, start, stage)
        _moved(code, source, place)
        return place
    raise NoRoom(tr("a tensor of shape {shape} is too large to be taken apart for a gather", found.shape))


def _stage(memory: Memory, found: BitMap, fixed: Sequence[int]) -> BitMap:
    """Units as they will be in the PEs, everything else in addresses; what parts are told apart by at the top."""
    carries = {bit: found[bit] for level in UNITS[memory] for bit in unit_bits(memory) if bit.level == level}
    carries[W] = found[W] if found[W] != NOTHING else COPY
    low = [i for i in range(found.width) if i not in carries.values() and i not in fixed]
    while len(low) < 6:
        low.append(NOTHING)
    carries |= {address(number): index for number, index in enumerate([*low, *fixed]) if index >= 0}
    return BitMap.of(memory, found.shape, carries)
