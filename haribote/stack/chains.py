"""Chains of ways as paths: what each hop makes of the map before it, and what the chain costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from haribote.stack.costs import exact
from haribote.stack.demand import Demand, Made, Table, after, before, by_number
from haribote.stack.maps import NOTHING, PART, BitMap, Memory, W, address
from haribote.stack.ways import BITS, CLEAR, Way

Chain = Sequence[tuple[Way, Demand]]
"""Ways, each with the demand after it."""


def demands(ways: Sequence[Way], wanted: Demand) -> tuple[Chain, Demand] | None:
    """Ways as a chain, and the demand before all of them; None where they do not lead to what is wanted."""
    steps: list[tuple[Way, Demand]] = []
    for way in reversed(ways):
        steps.insert(0, (way, wanted))
        asked = before(way, wanted)
        if asked is None:
            return None
        wanted = asked
    return steps, wanted


@dataclass(frozen=True)
class Hop:
    """One way with the maps before and after it."""

    way: Way
    source: BitMap
    target: BitMap

    @cached_property
    def made(self) -> Made:
        """The same in numbers."""
        ends = by_number(self.source), by_number(self.target)
        return Made(self.way, *ends, self.source.width, self.target.width)

    @cached_property
    def cycles(self) -> float:
        """What it costs by itself."""
        return exact(self.made)


Path = tuple[Hop, ...]


def cycles(path: Path) -> float:
    """What the hops of a path cost, one after another."""
    return sum(hop.cycles for hop in path)


def walked(chain: Chain, start: Table, width: int, cleared: Sequence[int] = ()) -> Iterator[Made | None]:
    """What each hop of a chain makes of the table before it; None, and no more, where a free choice turns out to be
    none.

    start: with PART where parts are; width: of an element's index; cleared: units that hold copies where the chain
    joins parts: all but one are set to zero on their way out of the PEs.
    """
    found, total = told_apart(start, width)
    for way, wanted in chain:
        if cleared and way.source != way.target:
            parts = {bit: total + number for number, bit in enumerate(cleared)}
            yield Made(CLEAR, found, found | parts, total, total + len(parts))
            found, total, cleared = found | parts, total + len(parts), ()
        made = after(way, found, wanted, width, total)
        yield made
        if made is None:
            return
        found, total = made.target, made.left


def told_apart(start: Table, width: int) -> tuple[Table, int]:
    """The table with a number above the index bits for each bit of parts, and how many bits that makes."""
    parts = [bit for bit, carry in start.items() if carry == PART]
    return start | {bit: width + number for number, bit in enumerate(parts)}, width + len(parts)


def priced(chain: Chain, start: Table, width: int, cleared: Sequence[int] = (), most: float = inf) -> float:
    """What a chain costs; infinite where it is no path, or costs `most` or more."""
    total = 0.0
    for made in walked(chain, start, width, cleared):
        if made is None:
            return inf
        total += exact(made)
        if total >= most:
            return inf
    return total


def hop(way: Way, found: BitMap, wanted: Demand, start: BitMap) -> Hop | None:
    """What one way makes of a map that meets the demand before `wanted`; None where a free choice turns out to be none.
    found: of the start's tensor, with an axis more where there are parts still.
    """
    made = after(way, by_number(found), wanted, start.width, found.width)
    return None if made is None else _hop(made, start)


def follow(chain: Chain, start: BitMap, cleared: Sequence[int] = ()) -> Path | None:
    """The maps along a chain from a start that meets the demand before it; None where a free choice turns out to be
    none, or parts remain. Parts are told apart by an axis of their own, the first.
    """
    hops: list[Hop] = []
    for made in walked(chain, by_number(start), start.width, cleared):
        if made is None:
            return None
        hops.append(_hop(made, start))
    return tuple(hops) if hops and hops[-1].target.shape == start.shape else None


def _hop(made: Made, start: BitMap) -> Hop:
    way = made.way
    source = _map(way.source, start, made.source, made.width)
    return Hop(way, source, _map(way.target, start, made.target, made.left))


def _map(memory: Memory, start: BitMap, table: Table, width: int) -> BitMap:
    """A table as a map of the start's tensor, with an axis for what tells parts apart."""
    shape = (1 << (width - start.width), *start.shape) if width > start.width else start.shape
    return BitMap.of(memory, shape, {BITS[bit]: carry for bit, carry in table.items()})


def numbered(start: BitMap) -> BitMap:
    """The map with the parts of an element told apart by an axis of their own, the first."""
    table, width = told_apart(by_number(start), start.width)
    return start if width == start.width else _map(start.memory, start, table, width)


def fits_exactly(way: Way, wanted: BitMap) -> bool:
    """True where a last hop writes nothing beside the tensor: no second word and no neighbour that is none of it."""
    if wanted.memory != "LM":
        return not way.single
    if wanted[W] == NOTHING:
        return way.words == 1
    return not way.target_block or wanted[address(0)] != NOTHING
