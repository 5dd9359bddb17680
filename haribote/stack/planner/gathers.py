"""What moves elements: a gather, by what it costs to bring every PE what it needs, and to pick it out.

What PEs need is looked up for some words of some PEs only, which is enough to see along which bits of the index a
gather crosses units.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import attributes
from haribote.stack.maps import BitMap
from haribote.stack.picks.held import elements, flat_of
from haribote.stack.picks.spread import Wants, gathered
from haribote.stack.plan import Pick, Version, view_shape
from haribote.stack.planner.families import Split
from haribote.stack.planner.guess import guess
from haribote.stack.planner.states import NoWay, State
from simulator import isa

Ints = NDArray[np.int64]
ROOM = 3072
"""Words of LM0 that a part of the source may fill (`picks.gather.rounds_of`)."""
SOME_WORDS, SOME_PES = 24, 96
PICKED = 2.0
"""Steps for a long word of the result."""
TAKEN_APART = 2.0
"""How many times the words travel where the parts of a source are laid out on the way first."""


def pick(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """From any layout of the source into any of the families, at what a gather costs."""
    facts, (source_name, index_name), result = state.facts, node.input, node.output[0]
    fill = float(attributes(node).get("fill", 0.0))
    whole: Split = tuple((size,) for size in facts.index.shape[source_name])
    sources = [version for version in state.of(source_name) if version.split == whole]
    if not sources:
        sources = [version for version in facts.versions(source_name) if version.split == whole]
    for wanted in sources:
        try:
            after, source = state.get(wanted)
        except NoWay:
            continue
        for split, found in facts.layouts(result):
            if view_shape(split) == facts.index.shape[result]:
                with suppress(NoWay):
                    yield _picked(after, source, Version(result, found, split), index_name, fill)


def _picked(state: State, source: Version, made: Version, index_name: str, fill: float) -> State:
    """One gather; a computed index is brought to the layout of the result."""
    index = state.facts.index.constants.get(index_name)
    if index is not None:
        prices = state.facts.tariff.gathers
        key = source.map, made.map, index_name
        if key not in prices:
            prices[key] = gather_cycles(source.map, made.map, index)
        return state.did(Pick(source, made, index, fill), prices[key], made)
    state, places = state.get(Version(index_name, made.map, made.split))
    cost = isa.STEP_CYCLES * (source.map.longs / 2 + 6 * made.map.longs)
    return state.did(Pick(source, made, places, fill), cost, made)


def gather_cycles(source: BitMap, target: BitMap, index: Ints) -> float:
    """Cycles of target[e] = source[index[e]] in PEs, estimated. index: flat, -1 for fill, of the target's shape."""
    wants = _wants(source, target, index)
    found = gathered(source, wants)
    if 2 * found.longs > ROOM:
        found = gathered(source, wants, small=True)
    travel = 0.0 if source.satisfies(found) else guess(source, found)
    if 2 * found.longs > ROOM:
        travel *= TAKEN_APART
    return travel + isa.STEP_CYCLES * PICKED * target.longs


def _wants(source: BitMap, target: BitMap, index: Ints) -> Wants:
    """What some PEs want of the source for some of their words; the others, nothing."""
    pes, held = _sample(target)
    flat = np.where(held >= 0, index.ravel()[flat_of(target, np.maximum(held, 0))], -1)
    wanted = np.where(flat >= 0, _numbers(source, np.maximum(flat, 0)), -1)
    found = Wants.of(wanted, source.width)
    may = np.zeros((source.width, 2, isa.ALL_PES), np.bool_)
    may[:, :, pes] = found.may
    return Wants(may)


@lru_cache(maxsize=1 << 12)
def _sample(target: BitMap) -> tuple[Ints, Ints]:
    """Some PEs, and of some of their words the elements that they hold: [word, PE], negative for none."""
    pes = _drawn(isa.ALL_PES, SOME_PES)
    return pes, elements(target, _drawn(2 * target.longs, SOME_WORDS), pes)


@cache
def _drawn(count: int, some: int) -> Ints:
    """Some numbers below a count, all of them where they are few."""
    if count <= some:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, some, replace=False))


def _numbers(found: BitMap, flat: Ints) -> Ints:
    """The element numbers of flat row-major indices."""
    numbers = np.zeros_like(flat)
    places = np.unravel_index(flat, found.shape) if found.shape else ()  # NumPy takes no shape of no axes here
    for place, bits in zip(places, found.axes, strict=True):
        numbers |= place << bits.start
    return numbers
