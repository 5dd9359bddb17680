"""The last resort of the planner: any version of a value from any other, element by element.

A value that is split over the units in one way and wanted in another (785 columns as 8x112), a view that cuts an axis
elsewhere than at bits, or a move that cannot be had: a Pick with a known index gives it always.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from haribote.graph import turned
from haribote.stack.plan import Pick, Version
from haribote.stack.planner.facts import Facts
from simulator.isa import STEP_CYCLES

Ints = NDArray[np.int64]
DEAR = 100
"""Steps that a Pick is thought to take beside those for its words: a move is better where there is one."""


def picked(facts: Facts, source: Version, wanted: Version) -> tuple[Pick, float]:
    """A Pick that makes a version as wanted, of the same value or of one that it is a view of; and its cycles."""
    key = source.value, source.split, wanted.value, wanted.split
    if key not in facts.picks:
        facts.picks[key] = _index(facts, source, wanted)
    steps = DEAR + source.map.longs / 2 + 2 * wanted.map.longs
    return Pick(source, wanted, facts.picks[key], wanted.fill or 0.0), STEP_CYCLES * steps


def _index(facts: Facts, source: Version, wanted: Version) -> Ints:
    """The flat place in the source's map of what each place of the wanted map has; -1 where that is no element."""
    shape = source.map.shape
    places = source.unpack(np.arange(prod(shape)).reshape(shape), facts.index.shape[source.value])
    found = places.reshape(-1)[_seen(facts, wanted.value, source.value)]
    return replace(wanted, fill=-1.0).pack(found)


def _seen(facts: Facts, name: str, root: str) -> Ints:
    """The flat number in the root of every element of a view of it."""
    shape = facts.index.shape[name]
    if name == root:
        return np.arange(prod(shape)).reshape(shape)
    node = facts.index.producer[name]
    before = _seen(facts, node.input[0], root)
    if node.op_type == "Transpose":
        return before.transpose(turned(node, before.ndim))
    return before.reshape(shape)
