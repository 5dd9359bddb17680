"""Paths from one map to another, put together from two halves: one climbs from the start, one comes down to what is
wanted, and they meet where their tied bits agree.

Every useful path has one shape: hops within the PEs, up, over the top, down, hops within the PEs. How high it must
climb follows from the bits of units that change. The halves are listed once for each start and each wanted map, so that
a pair of maps takes one comparison of two small tables, in place of a search. The first pairs by the costs of their
halves are then walked hop by hop for what they really cost (`chains.priced`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.stack.chains import Path, cycles, demands, fits_exactly, follow, priced
from haribote.stack.climbs import ANY, Climbs, Up, climbs
from haribote.stack.demand import Demand, Table, before, by_number
from haribote.stack.descents import Descents, Down, descents
from haribote.stack.maps import COPY, NOTHING, PART, Bit, BitMap, Memory, W
from haribote.stack.runs import in_runs
from haribote.stack.ways import HEIGHT, NUMBER, Way
from simulator.messages import tr

MEETINGS: dict[int, tuple[Memory, ...]] = {0: ("LM",), 1: ("L1BM",), 2: ("L2BM",), 3: ("PDM", "DRAM")}
"""The memories in which the halves of a path may meet, by the height to which it must climb."""
TOP = {"group": 3, "L2B": 3, "L1B": 2, "MAB": 1}
"""How high words climb to get from one unit of a level to another, and until their parts there are joined."""
ONE = np.uint64(1)
KEPT, LOOKED_AT = (48, 128, 512), (300, 400, 1500)
"""Halves that come down kept at each height on the way, and pairs of halves looked at: first; where the path is dear;
where no two fit.
"""
DEAR = 800.0
"""Cycles of a path above which it pays to look again, more widely."""
PATIENCE = 50
"""Pairs of halves that are tried after the cheapest so far, in the order of what they seem to cost."""
SMALL = 400.0
"""Cycles of a path over the L2BM below which one over the DRAM is hardly ever cheaper, and never by much."""
REPEATED = 0.6
"""By how much a bit of copies that hops on the way up have to write one after another adds to their cost, as logarithm:
some hops write them, not all.
"""
FOLLOWED, TRIED = 6, 2
"""Pairs of halves that are followed, and paths that are handed out."""


def constructed(start: BitMap, wanted: BitMap, combine: str = "", count: int = TRIED) -> list[Path]:
    """Up to `count` paths, the cheapest first; none where no two halves fit. combine: what joins the start's parts."""
    join = _Join.of(start, wanted, combine)
    needed = height(start, wanted)
    found: list[Found] = []
    for wide in range(len(KEPT)):
        found += join.through(needed, wide, count, _cheapest(found))
        if found and (wide or _cheapest(found) <= DEAR):
            break
    return [path for *_, path in sorted(found, key=lambda entry: entry[:-1])[:count]]


def along(ways: Sequence[Way], start: BitMap, wanted: BitMap, combine: str) -> Path:
    """The path along these ways. Raises ValueError where there is none."""
    if (found := demands(ways, Demand.of(wanted))) is not None:
        chain, asked = found
        clear = _Join.of(start, wanted, combine).cleared(asked, sum(way.joined for way in ways))
        if clear is not None and (path := follow(chain, start, clear)) is not None:
            return in_runs(path, start, clear)
    names = ", ".join(way.name for way in ways)
    raise ValueError(tr("{value} do not lead from {start} to {wanted}", names, start, wanted))


Found = tuple[float, float, int, Path]
"""Cycles, those of MV, a number, and the path: of two that cost the same the one with fewer MV is better."""


def _cheapest(found: Sequence[Found], most: float = inf) -> float:
    """The cycles of the cheapest path; `most` where there is none."""
    return min((cost for cost, *_ in found), default=most)


def height(start: BitMap, wanted: BitMap, choosing: bool = False) -> int:
    """How high a path must climb at least: to where units meet that are to hold something else than before. choosing:
    a unit may also keep its share of copies."""
    found = max(HEIGHT[start.memory], HEIGHT[wanted.memory])
    found = max([found, *(TOP.get(bit.level, 0) for bit, carry in start.carries if carry == PART)])
    if start.memory == wanted.memory:
        kept = (PART, COPY) if choosing else (PART,)
        other = (bit for bit, carry in wanted.carries if carry not in (NOTHING, start[bit]) and start[bit] not in kept)
        found = max([found, *(TOP.get(bit.level, 0) for bit in other)])
    return found


def _compared(up: Climbs, down: Descents) -> tuple[NDArray[np.bool_], NDArray[np.int8], NDArray[np.int8]]:
    """Of every half that climbs and every half that comes down: whether no bit stands against their meeting, how many
    bits carry the same index bit in both, and how many take issues that write the same again.
    """
    size = len(down.halves), len(up.halves)
    fits, same, repeats = np.ones(size, np.bool_), np.zeros(size, np.int8), np.zeros(size, np.int8)
    for column in down.columns:
        offered, asked = up.tied[:, column.bit], column.asked[:, None]
        index, either = np.maximum(offered, 0).astype(np.uint64), np.maximum(asked, 0).astype(np.uint64)
        wrong = (asked == PART) & (offered != PART) & (offered != COPY) & (offered != ANY)
        wrong |= (asked == COPY) & (offered != COPY) & (offered != ANY)
        wrong |= (asked >= 0) & (up.may[:, column.bit] >> either & ONE == 0)
        wrong |= (offered >= 0) & (column.barred[:, None] >> index & ONE == 1)
        fits &= ~wrong[column.which]
        same += ((asked == offered) & (asked >= 0)).astype(np.int8)[column.which]
        if (asked == COPY).any():
            repeats += ((asked == COPY) & (offered == ANY)).astype(np.int8)[column.which]
    return fits.T, same.T, repeats.T


class _Fitting(NamedTuple):
    """Two halves as one chain of ways. clear: bits whose copies stand in for parts."""

    cost: float
    number: int
    chain: tuple[tuple[Way, Demand], ...]
    clear: list[int]


class _Join(NamedTuple):
    """What is known of a pair of maps. parts: bits of parts of the start; copies: units below this number may hold
    copies in the place of parts; idempotent: joining copies changes nothing; known: demands before climbing hops.
    """

    start: BitMap
    wanted: BitMap
    combine: str
    table: Table
    parts: int
    copies: int
    idempotent: bool
    known: dict[tuple[int, Way], Demand | None]

    @staticmethod
    def of(start: BitMap, wanted: BitMap, combine: str) -> _Join:
        """For a pair of maps."""
        table = by_number(start)
        parts = sum(carry == PART for carry in table.values())
        idempotent, copies = combine[1:] in ("max", "min"), 0
        if parts and (idempotent or start.memory == "LM"):
            copies = NUMBER[W] + 1 if idempotent else NUMBER[Bit("PE", 0)]
        return _Join(start, wanted, combine, table, parts, copies, idempotent, {})

    def through(self, needed: int, wide: int, count: int, most: float) -> list[Found]:
        """The cheapest paths over the memories of a height, or of another one where they may be cheaper: of a lower one
        where units keep their share of what all of them hold. most: cycles of a path that is known."""
        found: list[Found] = []
        lowest = height(self.start, self.wanted, choosing=True)
        for top in range(lowest, HEIGHT["DRAM"] + 1):
            self.over(top, wide, count, found, most)
            if found and top >= needed and (top != HEIGHT["L2BM"] or _cheapest(found) < SMALL):
                break
        return found

    def over(self, top: int, wide: int, count: int, found: list[Found], most: float) -> None:
        """Adds the cheapest paths over the memories of a height, with their costs."""
        fitting: list[_Fitting] = []
        for memory in MEETINGS[top]:
            fitting += self._fitting(memory, wide, _cheapest(found, most))
        followed = 0
        for cost, _, chain, clear in sorted(fitting, key=lambda fit: fit.cost):
            if cost == inf or followed >= FOLLOWED or (len(found) >= count and cost > _cheapest(found)):
                break
            path = follow(chain, self.start, clear)
            if path:
                path = in_runs(path, self.start, clear)
                moved = cycles(tuple(hop for hop in path if hop.way.kind == "mv"))
                found.append((cycles(path), moved, len(found), path))
                followed += 1

    def _fitting(self, memory: Memory, wide: int, most: float) -> list[_Fitting]:
        """The first pairs that meet in a memory and cost no more than about `most`."""
        found: list[_Fitting] = []
        idle = 0
        for up, down, least in self._pairs(memory, wide):
            if least > most:
                continue
            made, idle = self._fit(up, down, 1.01 * most, len(found)), idle + 1
            if made:
                idle = 0 if made.cost < most else idle
                most = min(most, made.cost)
                found.append(made)
            if idle >= PATIENCE and most < inf:
                break
        return found

    def _pairs(self, memory: Memory, wide: int) -> Iterator[tuple[Up, Down, float]]:
        """Halves that agree on what is tied where they meet, with what they cost at least, about in this order."""
        up = climbs(self.start, self.combine, self.copies, memory)
        down = descents(self.wanted, memory, KEPT[wide])
        if not up.halves or not down.halves:
            return
        fits, same, repeats = _compared(up, down)
        shared = np.bitwise_count(up.bits[:, None] & down.bits[None, :])
        first, last = np.nonzero(fits & (shared == same))  # no index bit tied where another is wanted
        repeats = repeats[first, last]
        least = up.costs[first] + down.costs[last, 0]
        prices = up.costs[first] * 2.0 ** (REPEATED * repeats) + down.costs[last, up.waste[first]]
        prices += prices * (up.turns[first] & down.turns[last])  # there and back again: last
        for number in np.argsort(prices, kind="stable")[: LOOKED_AT[wide]]:
            yield up.halves[first[number]], down.halves[last[number]], float(least[number])

    def _fit(self, up: Up, down: Down, most: float, number: int) -> _Fitting | None:
        """Both halves as one chain that the start meets; None where there is none."""
        demand, steps = down.demand, down.steps
        if not steps and not (up.ways and fits_exactly(up.ways[-1], self.wanted)):
            return None
        for way in reversed(up.ways):
            steps = ((way, demand), *steps)
            key = id(demand), way
            if key not in self.known:
                self.known[key] = before(way, demand)
            asked = self.known[key]
            if asked is None:
                return None
            demand = asked
        clear = self.cleared(demand, up.joined)
        if clear is None:
            return None
        return _Fitting(priced(steps, self.table, self.start.width, clear, most), number, steps, clear)

    def cleared(self, asked: Demand, joined: int) -> list[int] | None:
        """The bits whose copies must be cleared, since they stand in for parts; None where the start does not meet what
        is asked of it, or the number of parts joined is another.
        """
        if not asked.met_by(self.table, self.copies):
            return None
        stand_in = [bit for bit, carry in asked.table.items() if carry == PART and self.table.get(bit) == COPY]
        if joined - len(stand_in) != self.parts:
            return None
        return [] if self.idempotent else stand_in
