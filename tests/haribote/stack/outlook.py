"""What a path costs at least from somewhere on its way: the bound that leads the search, from the maps at both ends.

Each leg of the tree (PEs to L1BM, L1BM to L2BM, L2BM to the memories of groups, and down) has to carry the words that
one unit holds; how many it can carry in a step depends on how many of its units hold different ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from haribote.stack.costs import LATENCY, STEP
from haribote.stack.maps import PART, UNIT_BITS, UNITS, Bit, BitMap, Memory, level_of_change
from haribote.stack.ways import HEIGHT

TOP = {"none": 0, "PE": 0, "MAB": 0, "L1B": 1, "L2B": 2, "group": 3, "root": 3}
"""How high a path must climb for a change at a level."""
LEAST_MV = 4.0
"""Cycles of the shortest MV."""


class Outlook:
    """Least cycles of what lies between the start and a place on the way."""

    def __init__(self, start: BitMap, wanted: BitMap) -> None:
        both = start.memory == wanted.memory == "LM"
        self.top = TOP[level_of_change(start, wanted)] if both else max(HEIGHT[start.memory], HEIGHT[wanted.memory])
        self.first = HEIGHT[start.memory]
        self._up, self._down = legs(start, True), legs(wanted, False)

    def above(self, height: int) -> float:
        """From the start up to a height."""
        return sum(self._up[self.first : height])

    def over(self, height: int) -> float:
        """From the start over the top down to a height."""
        top = max(self.top, height)
        return self.above(top) + sum(self._down[height:top])


def legs(found: BitMap, up: bool) -> Sequence[float]:
    """Least cycles of each leg at one end: between PEs and L1BM, L1BM and L2BM, L2BM and the memories of groups."""
    spread = {level: _spread(found, level) for level in UNIT_BITS}
    parts = {bit.level for bit, carry in found.carries if carry == PART}
    within = [_longs(found, memory) for memory in ("LM", "L1BM", "L2BM")]
    crowded = up and "MAB" not in parts and spread["MAB"] > 2  # `l1bmd`, 4 long words of each; `l1bmm4`, 8 of some
    first = max(1.0, within[0] / (4 if crowded else 8))
    per_issue = 32 if up and spread["L1B"] and "L1B" not in parts else 64 if up else 32
    if not up and not spread["L1B"]:
        per_issue = 64
    second = max(1.0, within[1] / per_issue)
    both = spread["L2B"] and (up or spread["group"])  # one L2B of every group at a time; `mvb4` serves both
    joined = up and parts & {"L2B", "group"}
    third = max(LEAST_MV, within[2] * (2 if both else 1) / (32 if joined else 16))
    costs = [STEP * (LATENCY + first), STEP * (LATENCY + second), third]
    return [0.0 if height < HEIGHT[found.memory] else cost for height, cost in enumerate(costs)]


def _spread(found: BitMap, level: str) -> int:
    """Bits of a level that tell different words apart."""
    return sum(1 for number in range(UNIT_BITS[level]) if found[Bit(level, number)] >= 0)


def _longs(found: BitMap, memory: Memory) -> int:
    """Different long words that one unit of a memory holds."""
    units = sum(1 for bit, carry in found.carries if carry >= 0 and bit.level in UNITS[memory])
    return 1 << max(found.width - 1 - units, 0)
