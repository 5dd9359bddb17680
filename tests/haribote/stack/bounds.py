"""What a move costs at least, whatever its path: each unit at its highest rate, steps of different units at once."""

from __future__ import annotations

from math import ceil, prod

from haribote.stack.maps import UNITS, BitMap, Memory, level_of_change
from haribote.stack.ways import HEIGHT
from tests.haribote.stack.outlook import TOP

PER_STEP = 256
"""Long words that an L1B gives to or takes from its PEs, and an L2B from its L1Bs, in a step at most."""
PER_CYCLE = 32
"""Long words per cycle and group of the fastest MV: `mvr`, and `mvb4` with both of its targets."""
LEAST_MV = 64 / 16


def lower_bound(start: BitMap, wanted: BitMap) -> float:
    """Cycles below which no move between two places can be."""
    both = start.memory == wanted.memory == "LM"
    top = TOP[level_of_change(start, wanted)] if both else max(HEIGHT[start.memory], HEIGHT[wanted.memory])
    ends = [found for found in (start, wanted) if found.memory == "LM"]
    l1bm = sum(ceil(_different(found, "L1BM") / PER_STEP) for found in ends) if top > 0 else 0
    l2bm = sum(ceil(_different(found, "L2BM") / PER_STEP) for found in ends) if top > 1 else 0
    written = ceil(_different(wanted, "LM") / 8) if wanted.memory == "LM" else 0
    moves = max(LEAST_MV, *(_different(found, "PDM") / PER_CYCLE for found in (start, wanted))) if top > 2 else 0.0
    return 4 * max(l1bm, l2bm, written) + moves


def _different(found: BitMap, memory: Memory) -> int:
    """Different long words that unit 0 of a level holds at least, which has the most of them; without those of padding,
    which need not move."""
    dealt = sum(1 << carry for bit, carry in found.carries if carry >= 0 and bit.level in UNITS[memory])
    held = (
        sum(not number << bits.start & dealt for number in range(size))
        for size, bits in zip(found.shape, found.axes, strict=True)
    )
    return max(ceil(prod(held) / 2), 1)
