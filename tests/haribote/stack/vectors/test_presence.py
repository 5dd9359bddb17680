"""What steps of a loop meet, told by addresses, is what the PEs hold there."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from haribote.stack.maps import Bit, BitMap, W, address
from haribote.stack.picks.held import elements, pe_weight
from haribote.stack.vectors import presence as module
from haribote.stack.vectors.addresses import four, operand
from haribote.stack.vectors.presence import FEW, Kind, presence

UNITS = (Bit("MAB", 0), Bit("MAB", 1), Bit("L1B", 0))
PES = np.array([sum(pe_weight(bit) for bit in some) for count in range(4) for some in combinations(UNITS, count)])
SHAPES = ((698, 218), (100, 3, 7), (33, 64), (512, 40), (1000,), (5, 7, 9))


def layout(random: Random, shape: tuple[int, ...]) -> BitMap:
    """Index bits at some PEs, at W, and at addresses, in any order."""
    width = BitMap("LM", shape, ()).width
    free: list[Bit] = [*UNITS, W]
    free += [address(number) for number in range(width - len(free) + 1)]
    random.shuffle(free)
    return BitMap.of("LM", shape, dict(zip(free, range(width), strict=False)))


def held(found: BitMap) -> dict[Kind, tuple[int, ...]]:
    """The same as `presence`, looked up word by word."""
    numbers, pairs = elements(found.padded, some_pes=PES), operand(found, found, "x", False).pairs
    kinds: dict[Kind, list[int]] = {}
    for group in range(-(-len(pairs) // 4)):
        there = [n for pair in four(pairs, group) for word in pair if word >= 0 for n in set(numbers[word]) if n >= 0]
        places = [[n >> bits.start & (1 << len(bits)) - 1 for bits in found.axes] for n in there]
        beyond = [frozenset(k for k, size in enumerate(found.shape) if place[k] >= size) for place in places]
        kind = frozenset().union(*beyond) if not all(beyond) else None
        kinds.setdefault(kind, []).append(group)
    return {kind: tuple(some) for kind, some in kinds.items()}


@pytest.mark.parametrize("shape", SHAPES)
def test_groups_meet_what_pes_hold(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 0)
    for seed in range(6):
        found = layout(Random(seed), shape)
        assert presence.__wrapped__(found) == held(found), str(found)


def test_short_loops_are_not_taken_apart() -> None:
    bits = [address(number) for number in range((4 * FEW).bit_length() - 1)]
    for count in (len(bits) - 1, len(bits)):
        found = BitMap.of("LM", ((1 << count) - 1,), dict(zip(bits, range(count), strict=False)))
        assert (len(presence(found)) > 1) == (count == len(bits))
