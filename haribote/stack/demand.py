"""What a hop asks of the map before it, and what it then makes: the two directions in which a path is put together.

Going back from a map that is wanted, what must be known of the map before a hop is little: the bits that the hop ties
together. All others may stand anywhere, so a demand is a few bits of the place with what they must carry, and a few
bits with index bits that must not stand there. Once a demand is met by the map that there is, the maps on the way are
filled in forwards. All of it is done on small integers: `ways.NUMBER` numbers the bits of places.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from haribote.stack.maps import COPY, NOTHING, PART, BitMap, Memory, W
from haribote.stack.ways import BITS, NUMBER, UNIT_COUNT, Way

Table = dict[int, int]
"""What the bits of a place carry, both as numbers, in the order of the bits; what is not there carries NOTHING."""
FIRST_ADDRESS = NUMBER[W] + 1
MOST_BITS = len(BITS) - FIRST_ADDRESS
"""Bits of an address."""
_W = NUMBER[W]
_PART = 63
"""The number of PART in sets of index bits."""


class Demand:
    """table: bits of a place and what they must carry; barred: bits and the set of index bits (bits of a number) that
    must not stand there.
    """

    __slots__ = ("__dict__", "barred", "memory", "table")

    def __init__(self, memory: Memory, table: Table, barred: Mapping[int, int] | None = None) -> None:
        self.memory, self.table, self.barred = memory, table, barred or {}

    @property
    def key(self) -> object:
        """Equal for equal demands."""
        return self.memory, number_of_table(self.table), number_of_sets(self.barred)

    @cached_property
    def copies(self) -> tuple[int, int, int]:
        """How many bits of units, of words and of addresses are to carry copies."""
        units = words = addresses = 0
        count = UNIT_COUNT[self.memory]
        for bit, carry in self.table.items():
            if carry == COPY:
                units += bit < count
                words += bit == _W
                addresses += bit > _W
        return units, words, addresses

    @staticmethod
    def of(wanted: BitMap) -> Demand:
        """A whole map as a demand; bits that carry nothing are free."""
        return Demand(wanted.memory, by_number(wanted))

    def bars(self, carry: int, bit: int) -> bool:
        """True where an index bit, or PART, must not stand at a bit."""
        return bool(self.barred.get(bit, 0) >> _number(carry) & 1)

    def met_by(self, found: Mapping[int, int], copies: int = 0) -> bool:
        """True where a map (carries by number) satisfies the demand. copies: below this number copies do as parts."""
        for bit, carry in self.table.items():
            stands = found.get(bit, NOTHING)
            if stands != carry and not (bit < copies and carry == PART and stands == COPY):
                return False
        return not any(mask >> found[bit] & 1 for bit, mask in self.barred.items() if found.get(bit, NOTHING) >= 0)


def by_number(found: BitMap) -> Table:
    """What a map carries, by the numbers of bits."""
    return {NUMBER[bit]: carry for bit, carry in found.carries if carry != NOTHING}


def number_of_table(table: Table) -> int:
    """The same number for equal tables, which is hashed faster than a set of pairs: 8 binary digits for each bit."""
    return sum([(carry + 8) << (bit << 3) for bit, carry in table.items()])


def number_of_sets(sets: Mapping[int, int]) -> int:
    """The same for sets of index bits by bits of a place: 64 binary digits for each."""
    return sum([mask << (bit << 6) for bit, mask in sets.items()])


def _number(carry: int) -> int:
    return carry if carry >= 0 else _PART


def before(way: Way, after: Demand) -> Demand | None:
    """The demand that a hop makes so that its result meets `after`; None where it never does."""
    numbers, table = way.numbers, after.table
    wired, reachable, elsewhere = numbers.wired, numbers.reachable, numbers.elsewhere
    asked = dict.fromkeys(numbers.reduces, PART) | dict.fromkeys(numbers.copies, COPY)
    known = looped = 0  # sets of index bits: at tied bits, and at those that may differ from issue to issue
    barred: dict[int, int] = {}
    for bit, carry in table.items():
        source = wired.get(bit)
        if source is not None:
            if carry >= 0:
                if known >> carry & 1:
                    return None
                known |= 1 << carry
            asked[source] = carry
        elif carry != COPY:
            if bit not in reachable:
                return None
            one = 1 << _number(carry)
            looped |= one
            for other in elsewhere.get(bit, ()):
                barred[other] = barred.get(other, 0) | one
    for bit, mask in after.barred.items():
        source = wired.get(bit)
        if source is not None:
            barred[source] = barred.get(source, 0) | mask
    if looped:
        for target, source in numbers.pairs:
            if target not in table:
                barred[source] = barred.get(source, 0) | looped
    left: dict[int, int] = {}
    for bit, mask in barred.items():
        if bit in asked:
            if asked[bit] != COPY and mask >> _number(asked[bit]) & 1:
                return None
        elif mask := mask & ~known:
            left[bit] = mask
    return Demand(way.source, asked, left)


class Made(NamedTuple):
    """What a hop makes of a table. source, target: the tables before and after it, their parts numbered above the index
    bits so that those which the hop joins come last; width, left: index bits and parts before it and after it.
    """

    way: Way
    source: Table
    target: Table
    width: int
    left: int


def after(way: Way, found: Table, wanted: Demand, width: int, total: int) -> Made | None:
    """What a hop makes of a table that meets the demand before `wanted`; free bits go to low addresses.

    width: of an element's index; total: the same with the bits that tell its parts apart, numbered above it. None where
    a free choice turns out to be none.
    """
    numbers = way.numbers
    made = {target: found.get(source, NOTHING) for target, source in numbers.pairs}
    made.update(dict.fromkeys(numbers.repeated, COPY))
    first = FIRST_ADDRESS + way.source_block
    at_address = {carry for bit, carry in found.items() if bit >= first}
    left = _movable(way, found)
    for bit, carry in wanted.table.items():
        if bit in made:
            continue
        if carry == PART:
            carry = next((other for other in left if other >= width), PART)
            if carry == PART:
                return None
        elif carry >= 0 and carry not in left:
            return None
        made[bit] = carry
        if carry >= 0:
            left.remove(carry)
    joined = [found[bit] for bit in numbers.reduces if found.get(bit, NOTHING) >= 0]
    if any(carry < width for carry in joined):
        return None
    if way.parts:
        free = [c for c in left if c >= width and (c in at_address or (way.words == 1 and c == found.get(_W)))]
        if len(free) < way.parts:
            return None
        joined += free[: way.parts]
    left = [carry for carry in left if carry not in joined]
    for bit in numbers.from_address:
        if bit not in made:
            choice = next((c for c in left if c in at_address and not _bars(wanted, c, bit, width)), NOTHING)
            made[bit] = choice
            if choice >= 0:
                left.remove(choice)
    for bit in numbers.puts:
        made.setdefault(bit, COPY if way.free_copies else NOTHING)
    if not _fill(made, left, way, wanted, width):
        return None
    return _numbered(way, found, made, joined, width, total)


def _movable(way: Way, found: Table) -> list[int]:
    """The index bits that a hop may put anywhere: those of addresses first, so that neighbours stay neighbours."""
    wired = way.numbers.sources
    units: list[int] = []
    addresses: list[int] = []
    for bit, carry in found.items():
        if carry >= 0 and bit not in wired:
            (addresses if bit >= FIRST_ADDRESS else units).append(carry)
    return list(dict.fromkeys(addresses + units))


def _bars(wanted: Demand, carry: int, bit: int, width: int) -> bool:
    return bit in wanted.barred and wanted.bars(carry if carry < width else PART, bit)


def _fill(made: Table, left: list[int], way: Way, wanted: Demand, width: int) -> bool:
    """Put the remaining index bits at the lowest free addresses."""
    bit = FIRST_ADDRESS + way.target_block
    while left:
        if bit >= FIRST_ADDRESS + MOST_BITS:
            return False
        if bit not in made:
            choice = next((carry for carry in left if not _bars(wanted, carry, bit, width)), NOTHING)
            if choice >= 0:
                made[bit] = choice
                left.remove(choice)
        bit += 1
    return True


def _numbered(way: Way, found: Table, made: Table, joined: list[int], width: int, total: int) -> Made | None:
    """With the parts numbered so that those which the hop joins come last."""
    made = {bit: made[bit] for bit in sorted(made) if made[bit] != NOTHING}
    if not joined:
        return Made(way, found, made, total, total)
    if not set(joined).isdisjoint(made.values()):
        return None
    order = [part for part in range(width, total) if part not in joined] + joined
    new = {part: width + number for number, part in enumerate(order)}
    source = {bit: new.get(carry, carry) for bit, carry in found.items()}
    target = {bit: new.get(carry, carry) for bit, carry in made.items()}
    return Made(way, source, target, total, total - len(joined))
