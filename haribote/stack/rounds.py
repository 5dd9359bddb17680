"""The rounds of a hop: the values of the bits that differ from issue to issue, all at once, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def _order(way: Way, source: BitMap, target: BitMap) -> list[tuple[Bit, int]]:
    """The bits of the target that differ from round to round, the slowest first, with the index bits that they carry,
    or COPY."""
    made = Made(way, by_number(source), by_number(target), source.width, target.width)
    order: list[tuple[Bit, int]] = [(min(target.places[i], key=_rank), i) for i in loops(made)]
    order += [(BITS[bit], COPY) for bit in copied(made)]
    order.sort(key=lambda entry: _rank(entry[0]), reverse=True)
    return order


def _rank(bit: Bit) -> tuple[bool, str, int]:
    """Addresses before units, low before high."""
    return bit.level not in ("address", "W"), bit.level, bit.number + (bit.level == "address")


class Rounds:
    """All rounds of a hop, the lowest bits of the target's address fastest, without those of padding.

    What is asked of them says whether the map is the target's (copies), whose bits may be written once for each value:
    the source knows nothing of these.
    """

    def __init__(self, hop: Hop) -> None:
        order = _order(hop.way, hop.source, hop.target)
        numbers = np.arange(1 << len(order))
        digits = [numbers >> shift & 1 for shift in range(len(order))][::-1]
        chosen = list(zip(order, digits, strict=True))
        self._source = hop.source
        self._values = {index: found for (_, index), found in chosen if index >= 0}
        self._copies = {bit: found for (bit, index), found in chosen if index < 0}
        self._nothing = np.zeros_like(numbers)
        self._kept = np.flatnonzero(~self._padding({}))

    def __len__(self) -> int:
        return len(self._kept)

    def padding(self, more: Values) -> NDArray[np.bool_]:
        """Where no element of the tensor has the index bits of the round, with some more: an axis is no power of
        two."""
        return self._padding(more)[self._kept]

    def at(self, found: BitMap, block: int, copies: bool) -> Ints:
        """The addresses in a map, of bits from `block` on."""
        return self._of(found, [bit for bit, _ in found.addresses if bit.number >= block], copies)

    def unit(self, found: BitMap, level: str, bits: Sequence[Bit], copies: bool) -> Ints:
        """The numbers of a unit, of those bits that are chosen."""
        return self._of(found, [bit for bit in bits if bit.level == level], copies)

    def bit(self, found: BitMap, bit: Bit, copies: bool) -> Ints:
        """The values of a bit of the place."""
        return self._value(found, bit, copies)[self._kept]

    def _padding(self, more: Values) -> NDArray[np.bool_]:
        wrong = self._nothing > 0
        for size, bits in zip(self._source.shape, self._source.axes, strict=True):
            if size < 1 << len(bits):
                least = (self._values.get(bit, more.get(bit, 0)) << number for number, bit in enumerate(bits))
                wrong |= sum(least, self._nothing) >= size
        return wrong

    def _of(self, found: BitMap, bits: Sequence[Bit], copies: bool) -> Ints:
        return sum((self._value(found, bit, copies) << bit.number for bit in bits), self._nothing)[self._kept]

    def _value(self, found: BitMap, bit: Bit, copies: bool) -> Ints:
        """Of the index bit that a bit carries, or of the copy that is written."""
        own = self._copies.get(bit) if copies else None
        return self._values.get(found[bit], self._nothing) if own is None else own


def address_of(found: BitMap, values: Values, block: int = 0) -> int:
    """The address of some values of index bits in a map, of bits from `block` on."""
    return sum(values.get(carry, 0) << bit.number for bit, carry in found.addresses if bit.number >= block)


def round_count(hop: Hop) -> int:
    """How many rounds a hop has, without those of padding."""
    return len(Rounds(hop))
