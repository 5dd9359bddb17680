"""The cheapest path of hops from one map to another: A*, back from what is wanted. The oracle of the construction.

A path climbs from the memories of the PEs as far as it must and comes down again; at either end it may stay within the
PEs for some hops, at the top it may go from one DRAM, PDM or L2BM to another. What it costs at least from a demand on
follows from how many words the units at both ends hold.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from itertools import count
from typing import NamedTuple

from haribote.stack.chains import Path, fits_exactly, follow
from haribote.stack.costs import least
from haribote.stack.demand import Demand, before, by_number
from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, W
from haribote.stack.ways import HEIGHT, NUMBER, UNIT_COUNT, Way, ways_into
from tests.haribote.stack.outlook import Outlook

WITHIN = 2
"""Hops in a row that stay within the PEs."""
LIMIT = 3_000
"""Demands that a search looks at before it gives up: a third of a second, about."""
_W = NUMBER[W]
_PES = {NUMBER[Bit("PE", number)] for number in range(2)}
THROUGH = frozenset(("LM", "L1BM", "L2BM", "PDM"))


class _State(NamedTuple):
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

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal states."""
        return self.demand.key, *self[1:]


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
        if (chosen := search.next()) is None:
            continue
        cost, state, steps = chosen
        for way in ways_into(state.demand.memory, assumed, single, combine):
            later = steps[0][0] if steps else None
            prior = search.back(state, way, later) if later or fits_exactly(way, wanted) else None
            if prior is not None:
                search.add(cost, state, way, prior, steps, inside=way.source in through)
    yield from search.finished(everything=True)


_Steps = tuple[tuple[Way, Demand], ...]


class _Search:
    """The states still to be looked at, by what a path through them costs at least, and the paths found by then."""

    def __init__(self, start: BitMap, wanted: BitMap, turns: int, combine: str) -> None:
        self._map, self._start = start, by_number(start)
        self._outlook, self._numbers = Outlook(start, wanted), count()
        self._moves = 2 + bool(turns)
        self._parts = sum(1 for _, carry in start.carries if carry == PART)
        self._idempotent = combine[1:] in ("max", "min")
        self._copies = 0  # below this number, copies do as parts: they change nothing, or can be set to zero
        if self._parts and (self._idempotent or start.memory == "LM"):
            self._copies = _W + 1 if self._idempotent else min(_PES)
        self._most = self._parts + sum(1 for bit in start.copies() if NUMBER[bit] < self._copies)
        first = _State(Demand.of(wanted), turns=turns)
        self._best: dict[object, float] = {first.key: 0.0}
        self.open: list[tuple[float, int, float, _State | None, _Steps]] = []
        self._found: list[tuple[float, int, Path]] = []
        self._push(0.0, first, ())

    def _push(self, cost: float, state: _State, steps: _Steps) -> None:
        height = HEIGHT[state.demand.memory]
        ahead = self._outlook.above(height) if state.climbing else self._outlook.over(height)
        heapq.heappush(self.open, (cost + (0.0 if state.turns else ahead), next(self._numbers), cost, state, steps))

    def next(self) -> tuple[float, _State, _Steps] | None:
        """The most promising state; None where it was the start, from which a path is then followed."""
        _, _, cost, state, steps = heapq.heappop(self.open)
        if state is not None:
            return cost, state, steps
        asked = before(*steps[0])
        stand_in = [] if self._idempotent or asked is None else self._stand_in(asked)
        if (path := follow(steps, self._map, stand_in)) is not None:
            heapq.heappush(self._found, (sum(hop.cycles for hop in path), next(self._numbers), path))
        return None

    def back(self, state: _State, way: Way, later: Way | None) -> _State | None:
        """The state before a hop; None where the path would have a shape that is not looked at, or none that the start
        can meet, or the hop is of no use. later: the hop after it.
        """
        rise = HEIGHT[way.target] - HEIGHT[way.source]
        local = not rise and way.target == "LM"
        within = state.within + 1 if local else 0
        moves = state.moves + (way.kind == "mv")
        turning = state.climbing and rise < 0 and way.kind != "mv"
        parts = state.parts + way.joined
        if within > WITHIN or moves > self._moves or state.turns < turning or parts > self._most:
            return None
        if not self._useful(state, way, later, local):
            return None
        asked = before(way, state.demand)
        climbing = not turning and (state.climbing or (rise > 0 and way.kind != "mv"))
        if asked is None or (climbing and not state.turns and not self._can_stand(asked)):
            return None
        waste = state.waste + self._wasted(way, state.demand)
        return _State(asked, climbing, within, moves, waste, state.turns - turning, parts)

    def _useful(self, state: _State, way: Way, later: Way | None, local: bool) -> bool:
        """False for hops without which a path is no worse."""
        table = state.demand.table
        if way.masked:
            return any(table.get(bit, -1) >= 0 for bit in way.numbers.puts)
        if way.kind == "mv" and way.target == "DRAM" and later is not None:
            return bool(way.combine) or not later.name.startswith("mvp")  # the same by way of the PDM
        if not local or not self._outlook.top:
            return True
        if way.kind == "copy" and way.words > 1:
            return later is None  # transfers put words at any address
        if state.climbing:  # exchange what does not fit the start, no more
            wrong = {bit for bit, carry in table.items() if self._start.get(bit, NOTHING) != carry}
            wrong |= {bit for bit in self._barred(state.demand)}
            w, pes = _W in wrong, bool(wrong & _PES)
            return {"dm": pes, "fm": w and pes}.get(way.name, w)
        return later is None or way.kind != later.kind or later.kind not in ("copy", "matrix")

    def _can_stand(self, demand: Demand) -> bool:
        """False where the units of the start hold something else than is asked of them: going up, all units above the
        PEs of a MAB stay what they are.
        """
        count = UNIT_COUNT[demand.memory] - 2 * (demand.memory == "LM")
        for bit, carry in demand.table.items():
            stands = self._start.get(bit, NOTHING)
            stands_in = bit < self._copies and carry == PART and stands == COPY
            if bit < count and stands != carry and not stands_in:
                return False
        return not any(bit < count for bit in self._barred(demand))

    def _barred(self, demand: Demand) -> list[int]:
        """The bits at which the start holds what must not stand there."""
        return [bit for bit in demand.barred if (carry := self._start.get(bit, COPY)) >= 0 and demand.bars(carry, bit)]

    def _wasted(self, way: Way, wanted: Demand) -> int:
        """Address bits that a climbing hop fills with units of the start that hold copies or nothing."""
        if way.kind not in ("up", "l2bm") or HEIGHT[way.target] < HEIGHT[way.source]:
            return 0
        return sum(
            1 for source, target in way.spreading if target not in wanted.table and self._start.get(source, 0) < 0
        )

    def add(self, cost: float, state: _State, way: Way, prior: _State, steps: _Steps, inside: bool) -> None:
        """A state before a hop. inside: paths may pass there, and not only start."""
        steps = ((way, state.demand), *steps)
        price = cost + least(way, state.demand, self._map.width + state.parts, prior.waste - state.waste)
        if self._met(prior):
            heapq.heappush(self.open, (price, next(self._numbers), price, None, steps))
        elif inside and price < self._best.get(prior.key, float("inf")):
            self._best[prior.key] = price
            self._push(price, prior, steps)

    def _met(self, state: _State) -> bool:
        """True where the start meets the demand and has as many parts as the hops join."""
        if state.demand.memory != self._map.memory or not state.demand.met_by(self._start, self._copies):
            return False
        return state.parts - len(self._stand_in(state.demand)) == self._parts

    def _stand_in(self, demand: Demand) -> list[int]:
        """Bits that hold copies where parts are asked for."""
        return [bit for bit, carry in demand.table.items() if carry == PART and self._start.get(bit) == COPY]

    def finished(self, everything: bool = False) -> Iterator[Path]:
        """Paths that nothing still to be looked at can be below."""
        while self._found and (everything or not self.open or self._found[0][0] <= self.open[0][0]):
            yield heapq.heappop(self._found)[2]
