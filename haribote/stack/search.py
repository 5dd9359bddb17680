"""The cheapest path of hops from one map to another: A*, back from what is wanted.

A path climbs from the memories of the PEs as far as it must and comes down again; at either end it may stay within the
PEs for some hops, at the top it may go from one DRAM, PDM or L2BM to another. What it costs at least from a demand on
follows from how many words the units at both ends hold.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from haribote.stack.costs import exact, least, least_hop
from haribote.stack.demand import Demand, after, before
from haribote.stack.maps import COPY, NOTHING, PART, UNITS, BitMap, Memory, W, address, level_of_change
from haribote.stack.ways import Way, ways_into

WITHIN = 2
"""Hops in a row that stay within the PEs."""
MOVES = 3
"""Hops of a path by MV instructions."""
LIMIT = 40_000
"""Demands that a search looks at before it gives up: some seconds."""
HEIGHT: dict[Memory, int] = {"LM": 0, "L1BM": 1, "L2BM": 2, "PDM": 3, "DRAM": 3}
THROUGH = frozenset(("LM", "L1BM", "L2BM", "PDM"))
TOP = {"none": 0, "PE": 0, "MAB": 0, "L1B": 1, "L2B": 2, "group": 3, "root": 3}


@dataclass(frozen=True)
class Hop:
    """One way with the maps before and after it."""

    way: Way
    source: BitMap
    target: BitMap

    @property
    def cycles(self) -> float:
        """What it costs by itself."""
        return exact(self.way, self.source, self.target)


Path = tuple[Hop, ...]


@dataclass(frozen=True)
class _State:
    """Where a search back from the goal is. climbing: the hops looked at next go up, from the start's side. waste: bits
    of addresses that these fill with copies or nothing, since the start's units hold the same or nothing. turns: how
    often the path may still come down to the PEs and climb again. parts: bits that the hops from here on join.
    """

    demand: Demand
    climbing: bool = False
    within: int = 0
    moves: int = 0
    waste: int = 0
    turns: int = 0
    parts: int = 0

    def back(self, way: Way, start: BitMap) -> _State | None:
        """The state before a hop; None where the path would have a shape that is not looked at or the hop is of no
        use.
        """
        rise = HEIGHT[way.target] - HEIGHT[way.source]
        within = self.within + (way.kind != "add") if not rise and way.target == "LM" else 0
        moves = self.moves + (way.kind == "mv")
        turning = self.climbing and rise < 0 and way.kind != "mv"
        if within > WITHIN or moves > MOVES or self.turns < turning:
            return None
        table = self.demand.table
        if way.masked and not any(table.get(bit, -1) >= 0 for bit in way.puts):
            return None
        asked = before(way, self.demand)
        climbing = not turning and (self.climbing or (rise > 0 and way.kind != "mv"))
        if asked is None:
            return None
        waste = self.waste + _wasted(way, self.demand, start)
        return _State(asked, climbing, within, moves, waste, self.turns - turning, self.parts + way.joined)


def _wasted(way: Way, wanted: Demand, start: BitMap) -> int:
    """Address bits that a climbing hop fills with units of the start that hold copies or nothing."""
    if way.kind not in ("up", "l2bm") or HEIGHT[way.target] < HEIGHT[way.source]:
        return 0
    pairs = [
        (s, t) for s, t in way.wires if t.level == "address" and s.level in ("L1B", "MAB") and t not in wanted.table
    ]
    return sum(1 for source, _ in pairs if start[source] < 0)


def follow(ways: Sequence[tuple[Way, Demand]], start: BitMap) -> Path | None:
    """The maps along a path whose hops must meet the demands after them; None where that fails or parts remain."""
    hops: list[Hop] = []
    found = numbered(start)
    for way, wanted in ways:
        made = after(way, found, wanted, start.width)
        if made is None:
            return None
        hops.append(Hop(way, *made))
        found = made[1]
    return tuple(hops) if found.shape == start.shape else None


def numbered(start: BitMap) -> BitMap:
    """The map with the parts of an element told apart by an axis of their own, the first."""
    parts = [bit for bit, carry in start.carries if carry == PART]
    if not parts:
        return start
    table = {bit: start.width + parts.index(bit) if carry == PART else carry for bit, carry in start.carries}
    return BitMap.of(start.memory, (1 << len(parts), *start.shape), table)


def fits_exactly(way: Way, wanted: BitMap) -> bool:
    """True where a last hop writes nothing beside the tensor: no second word and no neighbour that is none of it."""
    if wanted.memory != "LM":
        return not way.single
    if wanted[W] == NOTHING:
        return way.words == 1
    return not way.target_block or wanted[address(0)] != NOTHING


class _Bound:
    """What a path costs at least from a demand back to the start."""

    def __init__(self, start: BitMap, wanted: BitMap, turns: int) -> None:
        self.turns, self.above = turns, start.memory != "LM"
        both = start.memory == wanted.memory == "LM"
        self.top = TOP[level_of_change(start, wanted)] if both else max(HEIGHT[start.memory], HEIGHT[wanted.memory])
        self.up, self.down = _legs(start), _legs(wanted)

    def __call__(self, state: _State) -> float:
        height = HEIGHT[state.demand.memory]
        if self.above and (state.climbing or state.turns < self.turns):  # it has to come down from the top once more
            return sum(self.down[0 if state.climbing else height :])
        if state.climbing:
            return sum(self.up[:height])
        if state.turns < self.turns:
            return self.up[0]
        return sum(self.up[: self.top]) + sum(self.down[height : self.top])


_ABOVE: tuple[Memory, ...] = ("L1BM", "L2BM", "DRAM")


def _legs(found: BitMap) -> list[float]:
    """Least cycles of the hops between a map's memory and the top: PE to L1BM, L1BM to L2BM, L2BM to DRAM."""
    legs = []
    for height, memory in enumerate(_ABOVE):
        units = sum(1 for bit, carry in found.carries if carry >= 0 and bit.level in UNITS[memory])
        longs = 1 << max(found.width - 1 - units, 0)
        legs.append(0.0 if height < HEIGHT[found.memory] else least_hop(height, longs))
    return legs


def candidates(
    start: BitMap,
    wanted: BitMap,
    through: Collection[str] = THROUGH,
    limit: int = LIMIT,
    assumed: bool = False,
    single: bool = False,
    turns: int = 0,
    combine: str = "",
) -> Iterator[Path]:
    """Paths in the order of what they cost, hops in turn. through: the memories in which they may pass (LM stands for
    all banks); limit: demands that are looked at; assumed: also with instructions that isa.md marks [A]; single: also
    with those that waste three of four cycles; turns: how often a path may come down to the PEs and climb again;
    combine: what joins the start's parts.
    """
    search = _Search(start, wanted, turns, combine)
    for _ in range(limit):
        yield from search.finished()
        if not search.open:
            break
        cost, state, steps = search.next()
        for way in ways_into(state.demand.memory, assumed, single, combine):
            prior = state.back(way, start) if steps or fits_exactly(way, wanted) else None
            if prior is not None and prior.parts <= search.most:
                search.add(cost, state, way, prior, steps, inside=way.source in through)
    yield from search.finished(everything=True)


_Steps = tuple[tuple[Way, Demand], ...]


class _Search:
    """The states still to be looked at, by what a path through them costs at least, and the paths found by then."""

    def __init__(self, start: BitMap, wanted: BitMap, turns: int, combine: str = "") -> None:
        self.start, self._bound, self._numbers = start, _Bound(start, wanted, turns), count()
        self._parts = sum(1 for _, carry in start.carries if carry == PART)
        copies = len([carry for _, carry in start.carries if carry == COPY])
        self.most = self._parts + (copies if combine[1:] in ("max", "min") and self._parts else 0)
        self._idempotent = combine[1:] in ("max", "min")
        first = _State(Demand.of(wanted), turns=turns)
        self._best: dict[_State, float] = {first: 0.0}
        self.open: list[tuple[float, int, float, _State, _Steps]] = []
        self._found: list[tuple[float, int, Path]] = []
        self._push(0.0, first, ())

    def _push(self, cost: float, state: _State, steps: _Steps) -> None:
        heapq.heappush(self.open, (cost + self._bound(state), next(self._numbers), cost, state, steps))

    def next(self) -> tuple[float, _State, _Steps]:
        """The most promising state."""
        _, _, cost, state, steps = heapq.heappop(self.open)
        return cost, state, steps

    def add(self, cost: float, state: _State, way: Way, prior: _State, steps: _Steps, inside: bool) -> None:
        """A state before a hop. inside: paths may pass there, and not only start."""
        steps = ((way, state.demand), *steps)
        price = cost + least(way, state.demand, self.start.width + state.parts, prior.waste - state.waste)
        if self._met(prior) and (path := follow(steps, self.start)) is not None:
            heapq.heappush(self._found, (sum(hop.cycles for hop in path), next(self._numbers), path))
        if inside and price < self._best.get(prior, float("inf")):
            self._best[prior] = price
            self._push(price, prior, steps)

    def _met(self, state: _State) -> bool:
        """True where the start meets the demand and has as many parts as the hops join."""
        if not state.demand.met_by(self.start, self._idempotent):
            return False
        copies = sum(1 for bit, carry in state.demand.carries if carry == PART and self.start[bit] == COPY)
        return state.parts - copies == self._parts

    def finished(self, everything: bool = False) -> Iterator[Path]:
        """Paths that nothing still to be looked at can be below."""
        while self._found and (everything or not self.open or self._found[0][0] <= self.open[0][0]):
            yield heapq.heappop(self._found)[2]
