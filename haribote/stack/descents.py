"""The half of a path that comes down to the map that is wanted, listed once for each: what it asks where it begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.stack.chains import fits_exactly
from haribote.stack.climbs import COLUMNS, SHARED, WITHIN, Bits, as_array, index_bits, turns_words
from haribote.stack.costs import LATENCY, STEP, least
from haribote.stack.demand import Demand, before
from haribote.stack.maps import NOTHING, BitMap, Memory
from haribote.stack.shares import IDENTITY, choice
from haribote.stack.ways import HEIGHT, Way, named, ways, ways_across

_MORE = 2.0 ** np.arange(SHARED + 1)
_BARE = STEP * LATENCY


@dataclass(eq=False, slots=True)
class Down:
    """A half that comes down: what it asks of the memory where it begins, and what it costs.

    way, below: its first hop and the half that follows; None of the half that has no hops. costs: cycles by how many of
    the lowest address bits hold nothing new where it begins, so that its hops carry so much more.
    """

    demand: Demand
    costs: NDArray[np.float64]
    way: Way | None = None
    below: Down | None = None

    @property
    def steps(self) -> tuple[tuple[Way, Demand], ...]:
        """Its ways, each with the demand after it."""
        found = []
        down = self
        while down.way is not None and down.below is not None:
            found.append((down.way, down.below.demand))
            down = down.below
        return tuple(found)


class Column(NamedTuple):
    """What halves ask of one bit where they begin. asked, barred: the different things, what the bit must carry and
    which index bits must not stand there; which: the number of each half's.
    """

    bit: int
    asked: NDArray[np.int8]
    barred: Bits
    which: NDArray[np.intp]


class Descents(NamedTuple):
    """Halves that come down from one memory, with what the join compares.

    columns: of the bits of which some half asks something; costs [half, waste]; bits: index bits asked for; turns:
    whether a half exchanges words of long words.
    """

    halves: list[Down]
    columns: list[Column]
    costs: NDArray[np.float64]
    bits: Bits
    turns: NDArray[np.bool_]


@lru_cache(maxsize=1 << 8)
def descents(wanted: BitMap, memory: Memory, kept: int) -> Descents:
    """Halves that come down to a map from a memory. kept: the cheapest at each height on the way."""
    halves = [down for down in _layer(wanted, HEIGHT[memory], kept) if down.demand.memory == memory]
    tables = [down.demand.table for down in halves]
    barred = np.zeros((len(halves), COLUMNS), np.uint64)
    for row, down in zip(barred, halves, strict=True):
        for bit, mask in down.demand.barred.items():
            row[bit : bit + 1] = mask  # nothing beyond the last column
    return Descents(
        halves, _columns(as_array(tables, NOTHING), barred),
        np.array([down.costs for down in halves]).reshape(-1, SHARED + 1), index_bits(tables),
        np.array([turns_words(tuple(way for way, _ in down.steps)) for down in halves], np.bool_),
    )  # fmt: skip


def _columns(asked: NDArray[np.int8], barred: Bits) -> list[Column]:
    found = []
    for bit in np.flatnonzero((asked != NOTHING).any(axis=0) | (barred != 0).any(axis=0)).tolist():
        known: dict[tuple[int, int], int] = {}
        pairs = zip(asked[:, bit].tolist(), barred[:, bit].tolist(), strict=True)
        which = np.array([known.setdefault(pair, len(known)) for pair in pairs], np.intp)
        values, masks = zip(*known, strict=True)
        found.append(Column(bit, np.array(values, np.int8), np.array(masks, np.uint64), which))
    return found


@lru_cache(maxsize=1 << 8)
def _layer(wanted: BitMap, height: int, kept: int) -> Sequence[Down]:
    """The halves that come down from the memories of a height, those with the same demand once, the cheapest first."""
    found: dict[object, Down] = {}
    for down in _first(wanted) if height == HEIGHT[wanted.memory] else _further(wanted, height, kept):
        key = down.demand.key
        old = found.get(key)
        if old is None or down.costs[0] < old.costs[0]:
            found[key] = down
    chosen = sorted(found.values(), key=lambda down: float(down.costs[0]))
    return chosen[:kept] if 0 < height < HEIGHT["DRAM"] else chosen


@lru_cache(maxsize=1 << 8)
def _first(wanted: BitMap) -> list[Down]:
    """Those that stay in the memory that is wanted."""
    bare = Down(Demand.of(wanted), np.zeros(SHARED + 1))
    found = [bare]
    for names in (*WITHIN, ("copy",), ("copy wide",)) if wanted.memory == "LM" else ():
        down: Down | None = bare
        for name in reversed(names):
            down = _back(down, named(name, "LM", "LM"), wanted) if down else None
        if down:
            found.append(down)
    for way in _choices(wanted) if wanted.memory == "LM" else ():
        if chosen := _back(bare, way, wanted):
            found.append(chosen)
    across = (_back(bare, way, wanted) for way in ways_across(target=wanted.memory))
    return [*found, *(down for down in across if down is not None)]


def _choices(wanted: BitMap) -> Iterator[Way]:
    """The ways by which each unit of some level keeps its share of what all of them held."""
    bits = [bit for bit, carry in wanted.carries if carry >= 0 and bit.level in IDENTITY]
    for levels in (("group", "L2B"), ("group",), ("L2B",), ("L1B",), ("MAB", "PE"), ("MAB",), ("PE",)):
        some = frozenset(bit for bit in bits if bit.level in levels)
        if some and {bit.level for bit in some} == set(levels):
            yield choice(some)


def _further(wanted: BitMap, height: int, kept: int) -> list[Down]:
    """Those that begin one hop higher than the ones of the height below."""
    below = _layer(wanted, height - 1, kept) if height > HEIGHT[wanted.memory] else ()
    return [higher for down in below for higher in _one_higher(down, wanted)]


@lru_cache(maxsize=1 << 12)
def _one_higher(down: Down, wanted: BitMap) -> list[Down]:
    """Those that begin one hop higher than one of them: kept for the time that more of them are wanted."""
    made = (_back(down, way, wanted) for way in _falling(down.demand.memory))
    return [higher for higher in made if higher is not None]


@cache
def _falling(memory: Memory) -> tuple[Way, ...]:
    """Ways that come down into a memory."""
    return tuple(
        way for way in ways("") if way.target == memory and HEIGHT[way.source] > HEIGHT[memory] and not way.single
    )


def _back(down: Down, way: Way, wanted: BitMap) -> Down | None:
    """One hop earlier; None where it is of no use."""
    if down.way is None and not fits_exactly(way, wanted):
        return None
    table = down.demand.table
    if way.masked and not any(table.get(bit, NOTHING) >= 0 for bit in way.numbers.puts):
        return None
    asked = before(way, down.demand)
    if asked is None:
        return None
    cost = least(way, down.demand, wanted.width)
    wasted = cost * _MORE if way.kind == "mv" else cost + (cost - _BARE) * (_MORE - 1)
    falls = HEIGHT[way.source] > HEIGHT[way.target]
    return Down(asked, down.costs + (wasted if falls else cost), way, down)
