"""The half of a path that climbs: hops within the PEs, then up the tree, listed once for each start.

What matters of it where it meets the half that comes down (`haribote.stack.descents`) are the bits that its hops have
tied, and how many index bits are still free to stand at any address. So a half is followed without making maps.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from haribote.stack.costs import hop_cycles
from haribote.stack.demand import FIRST_ADDRESS, Table, by_number, number_of_sets, number_of_table
from haribote.stack.maps import COPY, NOTHING, PART, BitMap, Memory, W
from haribote.stack.ways import HEIGHT, NUMBER, UNIT_COUNT, Way, named, ways, ways_across

Bits = NDArray[np.uint64]
"""Sets of index bits, as bits of numbers."""
_W = NUMBER[W]
ANY = -5
"""What a tied bit carries where the hop may still choose."""
LOW = 8
"""Address bits that a transfer ties together at most."""
COLUMNS = FIRST_ADDRESS + LOW
"""Bits in which halves are compared: units, W and the lowest of the address."""
SHARED = 6
"""Lowest address bits that every MV keeps as they are."""
WITHIN: tuple[tuple[str, ...], ...] = (
    ("copy words",), ("dm",), ("fm",), ("copy words", "dm"), ("dm", "copy words"), ("copy words", "fm"),
    ("fm", "copy words"),
)  # fmt: skip
"""Hops within the PEs before the climb, and after the way down."""


class Up(NamedTuple):
    """A half that climbs.

    tied: what the bits carry that hops have fixed, or ANY; may: for bits with ANY the set of index bits that may stand
    there; free: how many index bits are at other addresses, loose: which may be; cost: in cycles; joined: bits of parts
    that its hops join; stand_ins: those of them that hold copies in the place of parts.
    """

    ways: tuple[Way, ...]
    memory: Memory
    tied: Table
    may: Table
    free: int
    loose: int
    cost: float = 0.0
    joined: int = 0
    stand_ins: int = 0

    @property
    def end(self) -> object:
        """Equal for halves from one start that end alike."""
        tied, may = number_of_table(self.tied), number_of_sets(self.may)
        return self.memory, tied, may, self.free, self.loose, self.joined, self.stand_ins


class Climbs(NamedTuple):
    """Halves that climb to one memory, with what the join compares.

    tied: bits [half, bit]; may: the index bits that may stand there [half, bit]; costs; bits: index bits tied; waste:
    how many of the lowest address bits a half fills with nothing new; turns: whether it exchanges words of long words.
    """

    halves: list[Up]
    tied: NDArray[np.int8]
    may: Bits
    costs: NDArray[np.float64]
    bits: Bits
    waste: NDArray[np.int64]
    turns: NDArray[np.bool_]


@lru_cache(maxsize=1 << 8)
def climbs(start: BitMap, combine: str, copies: int, memory: Memory) -> Climbs:
    """All halves that climb from a start to a memory and join its parts. combine: what joins them; copies: units below
    this number may hold copies in the place of parts.
    """
    parts = sum(carry == PART for _, carry in start.carries)
    climbed = _climbed(start, combine, copies, HEIGHT[memory])
    halves = [up for up in climbed if up.memory == memory and up.joined - up.stand_ins >= parts]
    tables = [up.tied for up in halves]
    may = np.array([up.loose for up in halves], np.uint64).repeat(COLUMNS).reshape(-1, COLUMNS)
    for row, up in zip(may, halves, strict=True):
        for bit, carry in up.tied.items():
            if bit < COLUMNS:
                row[bit] = 1 << carry if carry >= 0 else up.may.get(bit, up.loose) if carry == ANY else 0
    return Climbs(
        halves, as_array(tables, ANY), may, np.array([up.cost for up in halves]), index_bits(tables),
        np.array([_waste(up) for up in halves], np.int64), np.array([turns_words(up.ways) for up in halves], np.bool_),
    )  # fmt: skip


@lru_cache(maxsize=1 << 8)
def _climbed(start: BitMap, combine: str, copies: int, height: int) -> tuple[Up, ...]:
    """The halves that climb to the memories of a height; of those that end alike the cheapest."""
    found: dict[object, Up] = {}
    for up in _listed(start, combine, copies, height):
        end = up.end
        if end not in found or up.cost < found[end].cost:
            found[end] = up
    return tuple(found.values())


def _listed(start: BitMap, combine: str, copies: int, height: int) -> Sequence[Up]:
    """All of them that one hop more gives."""
    if height > HEIGHT[start.memory]:
        below = _climbed(start, combine, copies, height - 1)
        made = (_hop(up, way, copies) for up in below for way in _rising(up.memory, combine))
        return [up for up in made if up is not None]
    if height < HEIGHT[start.memory]:
        return []
    found = [_bare(start)]
    for names in WITHIN if start.memory == "LM" else ():
        up: Up | None = found[0]
        for name in names:
            up = _hop(up, named(name, "LM", "LM"), copies) if up else None
        if up:
            found.append(up)
    across = (_hop(found[0], way, copies) for way in ways_across(source=start.memory))
    return [*found, *(up for up in across if up is not None)]


def _bare(start: BitMap) -> Up:
    """The start itself: units and low address bits as they are."""
    table, units = by_number(start), UNIT_COUNT[start.memory]
    low = FIRST_ADDRESS if start.memory == "LM" else COLUMNS
    tied = {bit: carry for bit, carry in table.items() if bit < units or bit <= low}
    for bit in range(FIRST_ADDRESS, low + 1):
        tied.setdefault(bit, NOTHING)
    free = [carry for bit, carry in table.items() if bit > low and carry >= 0]
    return Up((), start.memory, tied, {}, len(free), sum(1 << carry for carry in set(free)))


@cache
def _rising(memory: Memory, combine: str) -> tuple[Way, ...]:
    """Ways that climb from a memory."""
    up = (way for way in ways(combine) if way.source == memory and HEIGHT[way.target] > HEIGHT[memory])
    return tuple(way for way in up if not way.single and way.kind in ("up", "l2bm", "mv"))


def _hop(up: Up, way: Way, copies: int) -> Up | None:
    """One hop more; None where parts would stay parts, or what is joined is none."""
    numbers, tied = way.numbers, up.tied
    stand_ins = up.stand_ins
    for bit in numbers.reduces:
        carry = tied.get(bit, NOTHING)
        if carry != PART and not (carry == COPY and bit < copies):
            return None
        stand_ins += carry == COPY
    made: Table = {}
    may: Table = {}
    absorbed = 0
    for target, source in numbers.pairs:
        if source in tied:
            made[target] = tied[source]
            if made[target] == ANY:
                may[target] = up.may[source]
        elif source >= _W and up.free:
            made[target] = ANY  # a word or an address that no hop has tied: any free index bit
            may[target] = up.loose
            absorbed += 1
    made.update(dict.fromkeys(numbers.repeated, COPY))
    loops, loose, turned = up.free, up.loose, up.loose
    for bit, carry in tied.items():
        if bit not in numbers.sources and bit not in numbers.reduces:
            if carry == PART:
                return None
            if carry >= 0 or carry == ANY:
                loops += 1
                freed = 1 << carry if carry >= 0 else up.may[bit]
                loose |= freed
                turned |= freed if bit >= FIRST_ADDRESS else 0
    loops -= min(absorbed, loops)
    for bit in numbers.from_address:
        if loops and bit not in made:
            made[bit] = ANY
            may[bit] = turned
            loops -= 1
    issues = loops - sum(1 for bit in numbers.to_address if tied.get(bit, NOTHING) >= 0 or tied.get(bit) == ANY)
    cost = hop_cycles(way, max(issues - (2 if way.kind == "copy" else 0), 0), False, -1)
    joined = up.joined + way.joined
    return Up((*up.ways, way), way.target, made, may, loops, loose, up.cost + cost, joined, stand_ins)


def _waste(up: Up) -> int:
    """How many of the lowest address bits hold nothing new, where there would be something to put there."""
    low = [up.tied.get(FIRST_ADDRESS + number, ANY) for number in range(SHARED)]
    return min(sum(carry in (COPY, NOTHING) for carry in low), up.free) if up.memory != "LM" else 0


# --- what both halves are compared by --------------------------------------------------------------------------------


def as_array(tables: list[Table], otherwise: int) -> NDArray[np.int8]:
    """What the bits carry: int8 [table, bit], `otherwise` where a table says nothing."""
    found = np.full((len(tables), COLUMNS), otherwise, np.int8)
    for row, table in zip(found, tables, strict=True):
        for bit, carry in table.items():
            if bit < COLUMNS:
                row[bit] = carry
    return found


def index_bits(tables: list[Table]) -> Bits:
    """The index bits that each table names."""
    return np.array([sum(1 << carry for carry in set(table.values()) if carry >= 0) for table in tables], np.uint64)


def turns_words(chain: tuple[Way, ...]) -> bool:
    """True where a hop within the PEs exchanges the words of long words."""
    return any(way.name in ("fm", "copy words") for way in chain)
