"""What a move costs, guessed before it is known, in two ways: from how far up the tree its words travel, or from that
and what changes on the way.

The first is half of what a move costs at the median, so that much is tried that turns out dear; the second is nearer,
so that a plan settles soon. Rounds of planning take them in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

from haribote.stack.maps import COPY, PART, UNITS, Bit, BitMap, Memory, level_of_change, unit_bits
from simulator.isa import STEP_CYCLES

HEIGHT = {"none": 0, "PE": 0, "MAB": 1, "L1B": 1, "L2B": 2, "group": 3, "root": 3}
OF_PARTS = {"group": 3, "L2B": 3, "L1B": 2, "MAB": 1}
NEVER = 1e9
"""The price of a move that cannot be had."""
STARTS = 5
"""Steps that a hop up and its hop down wait."""
ALL_TURN, SHARES = 800.0, 400.0
"""Cycles, as `python -m benchmarks.moves` shows them for 256x16."""
SUMMED = ((), (0, 1), (0, 1, 2, 3))
"""Bits of the MAB over which a transfer adds up: none, those of four neighbours, all (isa.md, section 8)."""
AS_ELEMENTS = 400.0
"""Cycles, about, of sums over other MABs, whose parts travel as elements of their own."""


def guess(source: BitMap, target: BitMap, boldly: bool = True) -> float:
    """Cycles of a move, parts joined on the way. boldly: from how far words travel alone."""
    if source.satisfies(target):
        return 0.0
    parts = [bit for bit, carry in source.carries if carry == PART]
    height = max([HEIGHT[level_of_change(source, target)], *(OF_PARTS.get(bit.level, 0) for bit in parts)])
    near = sum(bit.level in ("W", "PE", "address") for bit in parts)
    steps = near * (2 + source.longs / 4)
    longs = source.longs / (1 << sum(bit.level == "address" for bit in parts))
    if height == 0:
        return STEP_CYCLES * (steps + 2 + (longs + target.longs) / 4)
    odd = tuple(sorted(bit.number for bit in parts if bit.level == "MAB")) not in SUMMED
    travel = _of_travel(source, target, height, steps) + AS_ELEMENTS * odd
    return travel if boldly else sqrt(travel * (_of_change(source, target, parts, height) + AS_ELEMENTS * odd))


def _of_travel(source: BitMap, target: BitMap, height: int, steps: float) -> float:
    """Words at each level and the waits between, for as high as they climb. steps: of what is joined nearby."""
    steps += STARTS * height
    up, down = _longs(source, "L1BM"), _longs(target, "L1BM")
    steps += up / 64 + max(target.longs / 4, down / 64)
    if height > 1:
        steps += _longs(source, "L2BM") / 256 + _longs(target, "L2BM") / 256
    moved = 0.0
    if height > 2:
        moved = _longs(source, "L2BM") / 32 + _longs(target, "L2BM") / 16
    return STEP_CYCLES * steps + moved + _turmoil(source, target)


def _of_change(source: BitMap, target: BitMap, parts: Sequence[Bit], height: int) -> float:
    """By which bits of the place come to carry something else, and which lose what they carried.

    The numbers are those that fit 2,831 moves best (the mean of the logarithms' differences) for which planners of six
    programs asked.
    """
    came = [bit.level for bit, carry in target.carries if carry >= 0 and source[bit] != carry]
    left = [bit.level for bit, carry in source.carries if carry >= 0 and target[bit] != carry]
    found = 15 + 0.7 * source.longs + 3.3 / 64 * _longs(source, "L1BM")
    found += 125 * (came.count("group") + left.count("group") + left.count("L2B"))
    found += 62 * sum(bit.level == "PE" for bit in parts)
    found += 35.0 * ("L1B" in came) + 2.3 * target.longs * ("MAB" in came)
    found += 1.2 * (source.longs + target.longs) * ("W" in came or "W" in left)
    found += 210.0 * ({"PE", "MAB", "L1B"} <= set(came))
    if height > 1:
        found += _longs(target, "L2BM") * (1.22 if _is_shared_out(source, target) else 0.15)
    return found


def _turmoil(source: BitMap, target: BitMap) -> float:
    """More cycles where much changes at once: no instruction turns PEs, MABs and L1Bs together, and an L2B that has to
    choose its share of what all of them hold can do so by MV only.
    """
    changed = {bit.level for bit, carry in target.carries if carry >= 0 and source[bit] not in (carry, PART)}
    more = ALL_TURN if {"PE", "MAB", "L1B"} <= changed else 0.0
    return more + (SHARES if _is_shared_out(source, target) else 0.0)


def _is_shared_out(source: BitMap, target: BitMap) -> bool:
    """Whether L2Bs come to hold other elements than before."""
    return any(target[bit] >= 0 and source[bit] != target[bit] for bit in unit_bits("L2BM"))


@lru_cache(maxsize=1 << 15)
def _longs(found: BitMap, memory: Memory) -> float:
    """Long words of a tensor that a unit of a memory holds: copies once, parts joined."""
    units = sum(carry >= 0 and bit.level in UNITS[memory] for bit, carry in found.carries)
    copies = sum(carry == COPY for _, carry in found.addresses)
    return float(1 << max(found.width - 1 - units - copies, 0))
