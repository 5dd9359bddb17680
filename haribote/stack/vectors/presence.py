"""Which steps of a loop meet padding: along which axes, or nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from haribote.stack.maps import BitMap
from haribote.stack.vectors.addresses import CYCLES

FEW = 8
"""Groups of a loop that is not worth taking apart: other work hides what it would save."""
Kind = frozenset[int] | None
"""The axes along which some words are padding, in some PEs; None where all words are, in all PEs."""


@lru_cache(maxsize=1 << 12)
def presence(found: BitMap) -> Mapping[Kind, tuple[int, ...]]:
    """The groups of four long words of a map by what they meet. That is told by the index bits at their addresses: of
    the others all values occur. Where there are fewer than FEW groups, all count as padded along all axes.
    """
    numbers = np.arange(1 << len(found.addresses))
    if len(numbers) < FEW * CYCLES:
        return {frozenset(range(len(found.shape))): tuple(range(-(-len(numbers) // CYCLES)))}
    empty = numbers < 0
    mixed = []
    for size, bits in zip(found.shape, found.axes, strict=True):
        known = [(at, carry - bits.start) for at, (_, carry) in enumerate(found.addresses) if carry in bits]
        least = sum(((numbers >> at & 1) << bit for at, bit in known), np.zeros_like(numbers))
        most = least + (1 << len(bits)) - 1 - sum(1 << bit for _, bit in known)
        mixed.append(most >= size)
        empty |= least >= size
    kinds: dict[Kind, list[int]] = {}
    for group, start in enumerate(range(0, len(numbers), CYCLES)):
        four = slice(start, start + CYCLES)
        axes = frozenset(axis for axis, padded in enumerate(mixed) if padded[four].any())
        kinds.setdefault(None if empty[four].all() else axes, []).append(group)
    return {kind: tuple(some) for kind, some in kinds.items()}
