"""The last resort: a path between any two maps, made without a search.

The tensor climbs to a PDM, which leaves nothing tied together but 64 long words; comes down so that every bit that is
tied on either side is within one PE, where any word can go anywhere; climbs once more and comes down to its place.
"""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.chains import Path, cycles, demands, follow
from haribote.stack.demand import Demand, by_number
from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, Memory, W, address, unit_bits
from haribote.stack.ways import BITS, NUMBER, named

_Step = tuple[str, Memory, Memory]
_CLIMB: tuple[_Step, ...] = (("l1bmm", "LM", "L1BM"), ("l2bm", "L1BM", "L2BM"), ("mvp c@.p@", "L2BM", "PDM"))
_FALL: tuple[_Step, ...] = (("mvp p@.c@", "PDM", "L2BM"), ("l2bmb", "L2BM", "L1BM"), ("l1bmp masked", "L1BM", "LM"))
_UP: dict[Memory, tuple[_Step, ...]] = {
    "LM": _CLIMB, "L1BM": _CLIMB[1:], "L2BM": _CLIMB[2:], "PDM": (), "DRAM": (("mvp d@.p@", "DRAM", "PDM"),),
}  # fmt: skip
_DOWN: dict[Memory, tuple[_Step, ...]] = {
    "LM": _FALL, "L1BM": _FALL[:2], "L2BM": _FALL[:1], "PDM": (), "DRAM": (("mvp p@.d@", "PDM", "DRAM"),),
}  # fmt: skip
"""Up, units are chosen by each issue and become addresses; down, addresses become units, in the PEs by masks."""


_WITHIN: tuple[tuple[str, ...], ...] = ((), ("copy words",), ("dm",), ("copy words", "dm", "copy words"))
"""What may have to happen within the PEs in the middle: the last of them always does."""


def last_resort(start: BitMap, wanted: BitMap) -> Path | None:
    """The cheapest such path from one map to another; None only where a PE cannot hold what has to be within one."""
    paths = [path for names in _WITHIN if (path := _path(start, wanted, names)) is not None]
    return min(paths, key=cycles, default=None)


def _path(start: BitMap, wanted: BitMap, within: Sequence[str]) -> Path | None:
    ending = [named(*way) for way in (*_UP["LM"], *_DOWN[wanted.memory])]
    if wanted.memory == "LM":
        if all(wanted[Bit("PE", number)] >= 0 for number in range(2)):
            ending[-1] = named("l1bmm masked", "L1BM", "LM")  # else four copies of everything would climb
        if wanted[W] == NOTHING:
            ending.append(named("copy words", "LM", "LM"))
    steps = demands([*(named(name, "LM", "LM") for name in within), *ending], Demand.of(wanted))
    if steps is None:
        return None
    first, asked = steps
    middle = _middle(start, asked)
    down = [named(*way) for way in (*_UP[start.memory], *_DOWN["LM"])]
    beginning = None if middle is None else demands(down, Demand.of(middle))
    if beginning is None or not beginning[1].met_by(by_number(start)):
        return None
    return follow([*beginning[0], *first], start)


def _middle(start: BitMap, asked: Demand) -> BitMap | None:
    """A map in the PEs that meets the demand and that the start can come down to: what both sides tie within a PE,
    everything else spread over the units. None where the demand asks for more than a free place.
    """
    low = [start[bit] for bit in _lowest(start)]
    local = {carry for carry in low[:2] if carry >= 0}
    carries: dict[Bit, int] = {BITS[bit]: carry for bit, carry in asked.table.items()}
    carries.setdefault(W, start[W])
    if carries[W] != start[W]:
        return None
    left = [index for index in range(start.width) if index not in carries.values()]
    for bit in sorted(unit_bits("LM"), key=lambda bit: bit.level in ("MAB", "PE")):
        if bit in carries or bit.level == "PE":
            carries.setdefault(bit, COPY)
            continue
        above = bit.level not in ("MAB", "PE")
        choice = [i for i in left if i not in local and not asked.bars(i, NUMBER[bit]) and not (above and i in low)]
        carries[bit] = choice[-1] if choice else COPY if bit.level in ("MAB", "L1B") else NOTHING
        left = [index for index in left if index != carries[bit]]
    for number, index in enumerate(left):
        carries[address(number)] = index
    return BitMap.of("LM", start.shape, carries)


def _lowest(start: BitMap) -> tuple[Bit, ...]:
    """The bits of the start that will be the lowest bits of addresses above."""
    if start.memory == "LM":
        return Bit("PE", 0), Bit("PE", 1)
    return tuple(address(number) for number in range(6))
