"""What a hop asks of the map before it, and what map it then makes: the two directions of a search for a path.

A search goes back from the map that is wanted. What must be known of the map before the last hop is little: the bits
that the hop ties together. All others may stand anywhere, so a demand is a few bits of the place with what they must
carry, and a few index bits with where they must not stand. Once a demand is met by the map that there is, the maps on
the way are filled in forwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, Memory, W, address
from haribote.stack.ways import BITS, NUMBER, Way


class Demand:
    """table: bits of a place (their numbers) and what they must carry; barred: index bits and a bit where each must not
    stand.
    """

    def __init__(self, memory: Memory, table: dict[int, int], barred: frozenset[tuple[int, int]] = frozenset()) -> None:
        self.memory, self.table, self.barred = memory, table, barred
        self.key = memory, frozenset(table.items()), barred

    @staticmethod
    def of(wanted: BitMap) -> Demand:
        """A whole map as a demand; bits that carry nothing are free."""
        return Demand(wanted.memory, {NUMBER[bit]: carry for bit, carry in wanted.carries if carry != NOTHING})

    @cached_property
    def carries(self) -> tuple[tuple[Bit, int], ...]:
        """What each bit must carry."""
        return tuple((BITS[number], carry) for number, carry in sorted(self.table.items()))

    @cached_property
    def barred_bits(self) -> frozenset[tuple[int, Bit]]:
        """The same as `barred` in bits."""
        return frozenset((index, BITS[bit]) for index, bit in self.barred)

    def met_by(self, found: Mapping[int, int], copies: int = 0) -> bool:
        """True where a map (carries by number) satisfies the demand. copies: below this number copies do as parts."""
        for bit, carry in self.table.items():
            stands = found.get(bit, NOTHING)
            if stands != carry and not (bit < copies and carry == PART and stands == COPY):
                return False
        return not any(found.get(bit, NOTHING) == index for index, bit in self.barred)


def by_number(found: BitMap) -> dict[int, int]:
    """What a map carries, by the numbers of bits."""
    return {NUMBER[bit]: carry for bit, carry in found.carries}


def before(way: Way, after: Demand) -> Demand | None:
    """The demand that a hop makes so that its result meets `after`; None where it never does."""
    numbers, table = way.numbers, after.table
    wired, reachable = numbers.wired, numbers.reachable
    asked = dict.fromkeys(numbers.reduces, PART)
    known: set[int] = set()
    looped: list[tuple[int, int]] = []
    for bit, carry in table.items():
        source = wired.get(bit)
        if source is not None:
            if carry in known:
                return None
            asked[source] = carry
            if carry >= 0:
                known.add(carry)
        elif carry != COPY:
            if bit not in reachable:
                return None
            looped.append((bit, carry))
    barred = {(index, wired[bit]) for index, bit in after.barred if bit in wired} if after.barred else set()
    if looped:
        loose = [source for target, source in numbers.pairs if target not in table]
        for bit, carry in looped:
            barred.update([(carry, source) for source in (*loose, *numbers.elsewhere.get(bit, ()))])
    if not barred:
        return Demand(way.source, asked)
    open_: list[tuple[int, int]] = []
    for pair in barred:
        index, bit = pair
        if bit not in asked:
            if index not in known:
                open_.append(pair)
        elif asked[bit] == index:
            return None
    return Demand(way.source, asked, frozenset(open_))


def after(way: Way, found: BitMap, wanted: Demand, width: int) -> tuple[BitMap, BitMap] | None:
    """The maps before and after a hop from `found`, which meets the demand before `wanted`; free bits at low addresses.

    width: of an element's index; higher bits tell its parts apart, and of the map before those are numbered anew that
    the hop joins. None where a free choice turns out to be none.
    """
    made: dict[Bit, int] = {target: found[source] for source, target in way.wires}
    made |= dict.fromkeys(way.repeated, COPY)
    left = _movable(way, found)
    for bit, carry in wanted.carries:
        if bit not in made:
            choice = [other for other in left if other == carry or (carry == PART and other >= width)] or [carry]
            if choice[0] == PART or (carry >= 0 and choice[0] not in left):
                return None
            made[bit] = choice[0]
            left = [other for other in left if other != choice[0]]
    at_address = {carry for bit, carry in found.carries if _in_address(bit, way)}
    joined = [found[bit] for bit in way.reduces if found[bit] >= 0]
    free = [
        carry for carry in left if carry >= width and carry in at_address | ({found[W]} if way.words == 1 else set())
    ]
    if len(free) < way.parts or any(carry < width for carry in joined):
        return None
    joined += free[: way.parts]
    left = [carry for carry in left if carry not in joined]
    for bit in way.from_address:
        if bit not in made:
            choice = [c for c in left if c in at_address and not _barred(c, bit, wanted, width)]
            made[bit] = choice[0] if choice else NOTHING
            left = [other for other in left if other != made[bit]]
    for bit in way.puts:
        made.setdefault(bit, COPY if way.free_copies else NOTHING)
    if not _fill(made, left, way, wanted, width):
        return None
    return _joined(way, found, made, joined, width)


def _joined(
    way: Way, found: BitMap, made: Mapping[Bit, int], joined: list[int], width: int
) -> tuple[BitMap, BitMap] | None:
    """The maps with the parts numbered so that those which the hop joins come last."""
    if not joined:
        return found, BitMap.of(way.target, found.shape, made)
    order = [part for part in range(width, found.width) if part not in joined] + joined
    new = {part: width + number for number, part in enumerate(order)}
    shape = found.shape[1:] if len(order) == len(joined) else (found.shape[0] >> len(joined), *found.shape[1:])
    if set(joined) & set(made.values()):
        return None
    source = BitMap.of(found.memory, found.shape, {bit: new.get(c, c) for bit, c in found.carries})
    return source, BitMap.of(way.target, shape, {bit: new.get(c, c) for bit, c in made.items()})


def _barred(carry: int, bit: Bit, wanted: Demand, width: int) -> bool:
    return (carry if carry < width else PART, NUMBER[bit]) in wanted.barred


def _in_address(bit: Bit, way: Way) -> bool:
    return bit.level == "address" and bit.number >= way.source_block


def _movable(way: Way, found: BitMap) -> list[int]:
    """The index bits that a hop may put anywhere: those of addresses first, so that neighbours stay neighbours."""
    wired = {source for source, _ in way.wires}
    bits = [bit for bit, carry in found.carries if carry >= 0 and bit not in wired]
    return list(dict.fromkeys(found[bit] for bit in sorted(bits, key=lambda bit: bit.level != "address")))


def _fill(made: dict[Bit, int], left: list[int], way: Way, wanted: Demand, width: int) -> bool:
    """Put the remaining index bits at the lowest free addresses."""
    number = way.target_block
    while left:
        bit = address(number)
        number += 1
        if number > 40:
            return False
        choice = [carry for carry in left if not _barred(carry, bit, wanted, width)]
        if bit not in made and choice:
            made[bit] = choice[0]
            left.remove(choice[0])
    return True
