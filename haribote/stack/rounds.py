"""The rounds of a hop: the values of the bits that differ from issue to issue, one by one or all at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from haribote.stack.chains import Hop
from haribote.stack.costs import copied, loops
from haribote.stack.demand import Made, by_number
from haribote.stack.maps import COPY, Bit, BitMap
from haribote.stack.ways import BITS, Way

Ints = NDArray[np.int64]
Values = Mapping[int, int]
"""The values of index bits."""


@dataclass(frozen=True)
class Turn:
    """One round of the loop: values of index bits, and of target bits that are written once for each value."""

    values: Values
    copies: Mapping[Bit, int]

    def at(self, found: BitMap, block: int = 0) -> int:
        """The address in a map, of bits from `block` on."""
        values, copies = self.values, self.copies
        return sum(
            [
                copies.get(bit, values.get(carry, 0)) << bit.number
                for bit, carry in found.addresses
                if bit.number >= block
            ]
        )

    def value(self, found: BitMap, bit: Bit) -> int:
        """The value of a bit of the place: of the index bit that it carries, or of the copy that is written now."""
        return self.copies.get(bit, self.values.get(found[bit], 0))

    def unit(self, found: BitMap, level: str, bits: Sequence[Bit]) -> int:
        """The number of a unit, of those bits that are chosen."""
        return sum(self.value(found, bit) << bit.number for bit in bits if bit.level == level)

    def source(self) -> Turn:
        """The same seen from the source, which knows nothing of copies."""
        return Turn(self.values, {})


def _order(way: Way, source: BitMap, target: BitMap) -> list[tuple[Bit, int]]:
    """The bits of the target that differ from round to round, the slowest first, with the index bits that they carry,
    or COPY."""
    made = Made(way, by_number(source), by_number(target), source.width, target.width)
    order: list[tuple[Bit, int]] = [(min(target.places[i], key=_rank), i) for i in loops(made)]
    order += [(BITS[bit], COPY) for bit in copied(made)]
    order.sort(key=lambda entry: _rank(entry[0]), reverse=True)
    return order


def turns_of(way: Way, source: BitMap, target: BitMap) -> Iterator[Turn]:
    """All rounds, the lowest bits of the target's address fastest."""
    order = _order(way, source, target)
    for numbers in product((0, 1), repeat=len(order)):
        chosen = list(zip(order, numbers, strict=True))
        values = {index: number for (_, index), number in chosen if index >= 0}
        if not padding(values, source):
            yield Turn(values, {bit: number for (bit, index), number in chosen if index < 0})


def padding(values: Values, found: BitMap) -> bool:
    """True where no element of the tensor has these index bits: an axis is no power of two."""
    least = (sum(values.get(bit, 0) << k for k, bit in enumerate(bits)) for bits in found.axes)
    return any(index >= size for index, size in zip(least, found.shape, strict=True))


def _rank(bit: Bit) -> tuple[bool, str, int]:
    """Addresses before units, low before high."""
    return bit.level not in ("address", "W"), bit.level, bit.number + (bit.level == "address")


class Rounds:
    """All rounds of a hop at once, as arrays, without those of padding."""

    def __init__(self, hop: Hop) -> None:
        order = _order(hop.way, hop.source, hop.target)
        numbers = np.arange(1 << len(order))
        digits = [numbers >> shift & 1 for shift in range(len(order))][::-1]
        chosen = list(zip(order, digits, strict=True))
        self._values = {index: found for (_, index), found in chosen if index >= 0}
        self._copies = {bit: found for (bit, index), found in chosen if index < 0}
        self._nothing = np.zeros_like(numbers)
        wrong = self._nothing > 0
        for size, bits in zip(hop.source.shape, hop.source.axes, strict=True):
            if size < 1 << len(bits):
                wrong |= self._sum((self._values.get(bit), number) for number, bit in enumerate(bits)) >= size
        self._kept = np.flatnonzero(~wrong)

    def __len__(self) -> int:
        return len(self._kept)

    def at(self, found: BitMap, block: int, copies: bool) -> Ints:
        """The addresses in a map, of bits from `block` on. copies: the map is the target's."""
        bits = [bit for bit, _ in found.addresses if bit.number >= block]
        return self._of(found, bits, copies)

    def unit(self, found: BitMap, level: str, bits: Sequence[Bit], copies: bool) -> Ints:
        """The numbers of a unit, of those bits that are chosen."""
        return self._of(found, [bit for bit in bits if bit.level == level], copies)

    def _of(self, found: BitMap, bits: Sequence[Bit], copies: bool) -> Ints:
        values = ((self._copies.get(bit) if copies else None, self._values.get(found[bit]), bit.number) for bit in bits)
        return self._sum((own if own is not None else other, number) for own, other, number in values)[self._kept]

    def _sum(self, terms: Iterable[tuple[Ints | None, int]]) -> Ints:
        return sum((value << number for value, number in terms if value is not None), self._nothing)


def round_count(hop: Hop) -> int:
    """How many rounds a hop has, without those of padding."""
    return len(Rounds(hop))
