"""What a move costs, about, without a search for it: for planners, which ask thousands of times.

The legs of the tree carry what their units hold, as `outlook` has it; beside that, words that stand at other bits of a
long word or of a MAB than before have to be turned in the PEs, and masks tell units apart where no transfer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import exp

from haribote.stack.costs import LATENCY, STEP
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, level_of_change
from haribote.stack.outlook import HEIGHT, TOP, legs
from simulator.isa.cost import BETWEEN_GROUPS

_PES = (W, Bit("PE", 0), Bit("PE", 1))
_OF_PARTS = {"MAB": 1, "L1B": 2, "L2B": 3, "group": 3}
"""How high words climb until their parts in these units are joined."""


@lru_cache(maxsize=1 << 16)
def estimate(source: BitMap, target: BitMap) -> float:
    """Cycles of a move, parts joined on the way.

    Measured beside the search on 165 pairs of layouts of planners, to which `WEIGHTS` were not fitted (the formula was
    written with their worst cases in view): 55 % within 1.5 times, 78 % within twice, rank correlation 0.90; at the
    ends 25 times too low and 20 times too high, both for exchanges between groups.
    """
    if source.satisfies(target):
        return 0.0
    cost, start = _nearby(source)
    if start.satisfies(target):
        return cost
    parts = {bit.level for bit, carry in start.carries if carry == PART}
    both = start.memory == target.memory == "LM"
    height = TOP[level_of_change(start, target)] if both else max(HEIGHT[start.memory], HEIGHT[target.memory])
    height = max([height, *(_OF_PARTS.get(level, 0) for level in parts)])
    if not height:
        return cost + STEP * (LATENCY + _turns(start, target) * min(start.longs, target.longs) / 2 + target.longs / 4)
    cost += _cleared(start)
    up, down = legs(start, True), legs(target, False)
    cost += sum(up[HEIGHT[start.memory] : height]) + sum(down[HEIGHT[target.memory] : height])
    if height > 2:
        cost += _between_groups(start, target)
    if both:
        cost += _by_masks(target)
    turns = _turns(start, target) if both else 0
    found = cost + turns * STEP * (LATENCY + min(start.longs, target.longs) / 2)
    return found * exp(_weight(start, target))


WEIGHTS: Mapping[tuple[str, str], float] = {
    ("L2B", "spread"): 0.5, ("L2B", "gathered"): -0.2, ("MAB", "moved"): 0.2,
    ("group", "moved"): 0.4, ("group", "gathered"): 0.2, ("group", "spread"): 0.1,
}  # fmt: skip
"""Logarithms of what a bit of a unit adds that carries another index bit than before, or one where it had none, or none
where it had one; fitted to half of 330 pairs of layouts.
"""
ALWAYS, MIXED = 0.4, -0.2
"""The same for every move, and for targets of which some bits of MABs hold copies: `_by_masks` counts too much."""


def _weight(start: BitMap, target: BitMap) -> float:
    mixed = 0 < sum(1 for bit in _MABS if target[bit] >= 0) < len(_MABS)
    total = ALWAYS + MIXED * mixed
    for bit in (*_GROUPS, Bit("L2B", 0), *_MABS):
        before, after = start[bit], target[bit]
        change = "" if before == after else "moved" if before >= 0 <= after else "spread" if after >= 0 else "gathered"
        total += WEIGHTS.get((bit.level, change), 0.0) if before >= 0 or after >= 0 else 0.0
    return total


def _nearby(source: BitMap) -> tuple[float, BitMap]:
    """Cycles that it takes to join parts within the PEs of a MAB, and the map then."""
    parts = {bit for bit, carry in source.carries if carry == PART}
    inside = sum(bit.level == "address" for bit in parts)
    near = parts & set(_PES)
    if source.memory != "LM" or not (inside or near):
        return 0.0, source
    table = {bit: COPY if bit in near else c for bit, c in source.carries if bit.level != "address"}
    addresses = [(bit, c) for bit, c in source.carries if bit.level == "address" and c != PART]
    table |= {Bit("address", number): carry for number, (_, carry) in enumerate(addresses)}
    found = BitMap.of("LM", source.shape, table)
    steps = (LATENCY + max(1.0, found.longs / 4) * (1 << inside)) if inside else 0.0
    pes = sum(bit.level == "PE" for bit in near)
    for lines in [2] * (W in near) + [(3, 5)[pes - 1]] * bool(pes):
        steps += LATENCY + lines * max(1.0, found.longs / 4)
    return STEP * steps, found


def _cleared(start: BitMap) -> float:
    """Cycles that it takes to set copies among parts to zero."""
    levels = {bit.level for bit, carry in start.carries if carry == PART}
    mixed = any(carry == COPY and bit.level in levels and bit.level != "L1B" for bit, carry in start.carries)
    return STEP * (LATENCY + max(1.0, start.longs / 4)) if mixed else 0.0


def _turns(start: BitMap, target: BitMap) -> int:
    """Exchanges within the PEs that a move needs, since transfers keep words of a long word, and mostly PEs, apart."""
    wrong = {bit.level for bit in _PES if target[bit] >= 0 and target[bit] != start[bit]}
    wrong |= {bit.level for bit in _PES[:1] if start[bit] >= 0 and target[bit] != start[bit]}
    return len(wrong)


_GROUPS = (Bit("group", 0), Bit("group", 1))


def _between_groups(start: BitMap, target: BitMap) -> float:
    """Cycles of MV that name groups, where these are to hold other elements than before: one group after another."""
    if all(start[bit] < 0 and target[bit] < 0 for bit in _GROUPS) or all(start[b] == target[b] for b in _GROUPS):
        return 0.0
    if any(start[bit] == PART for bit in _GROUPS):
        return 0.0
    longs = 1 << max(target.width - 1, 0)
    pieces = _scattered(start, target)
    return longs * pieces / BETWEEN_GROUPS.longs


def _scattered(start: BitMap, target: BitMap) -> int:
    """How many times more than the tensor has to pass between groups, since an MV moves 64 long words at a time and
    low addresses of L2BM hold what is told apart by PEs and L1Bs.
    """
    low = {start[bit] for bit in (*_PES, *_MABS) if start[bit] >= 0}
    return 1 << sum(1 for bit in _GROUPS if target[bit] in low)


_MABS = tuple(Bit("MAB", number) for number in range(4))


def _by_masks(target: BitMap) -> float:
    """Further cycles of the last transfer where some bits of MABs hold copies and others do not."""
    mixed = sum(1 for bit in _MABS if target[bit] >= 0)
    if mixed in (0, 4):
        return 0.0
    return STEP * max(1.0, target.longs / 8) * ((1 << mixed) - 1)
