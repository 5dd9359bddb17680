"""How all values of a plan are cut along the batch, where they are (`planner.batch`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

NO_AXIS = -1


class Axes(NamedTuple):
    """batch: the axis of each value along which the batch lies, NO_AXIS where it does not. inner: of values of the
    shape of a weight, the axis that its product with the batch sums over. given: what the host gives, which may be
    dealt out over the L2Bs in any case. copied: all other values of the batch are the same in all L2Bs."""

    batch: Mapping[str, int]
    inner: Mapping[tuple[int, ...], int]
    given: frozenset[str]
    copied: bool = False
