"""Task 5.37: who wants what (the layout's formula, copies included)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haribote.layout import Layout

UNITS = {"L2B": 8, "L1B": 8, "MAB": 16, "PE": 4}
"""How many units of each level there are in one of the level above."""


def wanted(layout: Layout, everywhere: bool) -> NDArray[np.int64]:
    """Which pair of elements each PE holds at each long word of LM: [8 L2B, 8 L1B, 16 MAB, 4 PE, long words].

    A pair is two elements, one after the other in row-major order, that are the two words of a long word: pair k is
    elements 2k and 2k + 1. -1 where nothing is held. A level that the layout does not name holds copies in all its
    units; everywhere: False asks for copy 0 alone, the one in unit 0 of such a level.
    `layout.position(level)` is the number of the unit of every element (of the tensor's shape), `position("")` its long
    word; `layout.names(level)` says whether the layout names a level, and `layout.words` how many words each PE holds.
    """
    pairs = np.arange(int(np.prod(layout.shape)) // 2)
    found = np.full((*UNITS.values(), layout.words // 2), -1)
    units = []
    for axis, level in enumerate(UNITS):  # every level's copies along an axis of their own, the pairs along the last
        first, copies = holders(layout, level, everywhere)
        units.append(first + copies.reshape([-1] + [1] * (len(UNITS) - axis)))
    found[(*units, layout.position("").ravel()[::2])] = pairs
    return found


def holders(layout: Layout, level: str, everywhere: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The unit of `level` that holds copy 0 of each pair, [pairs], and how far further on its copies are, [copies].

    A layout that names the level has no copies there, so the second list is [0]; and so it is if not `everywhere`.
    Else the copies are in all units: [0, 1, 2, …], one number for each of UNITS.
    """
    ### BEGIN HOLE
    first = layout.position(level).ravel()[::2]
    if layout.names(level) or not everywhere:
        return first, np.zeros(1, np.int64)
    return first, np.arange(UNITS[level])
    ### END HOLE
