"""Sums and extremes along axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import onnx

from haribote.graph import Index, attributes
from haribote.stack.maps import COPY, PART
from haribote.stack.plan import Shift, Version, view_shape
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.facts import NEUTRAL, map_axes
from haribote.stack.planner.families import projected, reduced
from haribote.stack.planner.states import NoWay, State
from haribote.stack.planner.tariff import NEVER
from simulator.messages import tr

REDUCTIONS = {"ReduceSum": "add", "ReduceMax": "max", "ReduceMin": "min"}


def reduction(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """Wherever the value is: its reduced axes become parts, and the sum is copied to all of them."""
    facts, name = state.facts, node.input[0]
    shape, kept = facts.index.shape[name], attributes(node).get("keepdims", 1)
    axes = reduced_axes(facts.index, node, len(shape))
    combine = ("f" if facts.kind(name) == "float" else "i") + REDUCTIONS[node.op_type]
    for sources in (state.of(name), facts.versions(name)):
        found = list(_reductions(state, node, sources, axes, kept, combine))
        yield from found
        if found:
            return


def _reductions(
    state: State, node: onnx.NodeProto, sources: Sequence[Version], axes: tuple[int, ...], kept: int, combine: str
) -> Iterator[State]:
    """A reduction of each of these versions."""
    facts = state.facts
    for source in sources:
        padded = set(facts.padded_axes(source)) & set(axes)
        with suppress(NoWay):
            after, found = state.get(replace(source, fill=NEUTRAL[combine] if padded else None))
            yield _reduced(after, found, node, axes, kept, combine)


def _reduced(
    state: State, source: Version, node: onnx.NodeProto, axes: tuple[int, ...], kept: int, combine: str
) -> State:
    """A reduction of one version."""
    inner = map_axes(source.split, axes)
    split = tuple((1,) * len(parts) if axis in axes else parts for axis, parts in enumerate(source.split))
    after = reduced(source.map, inner, COPY)
    target = projected(after, after.shape)
    if not kept:
        split = tuple(parts for axis, parts in enumerate(split) if axis not in axes)
        target = replace(target, shape=view_shape(split))
    left = [axis for axis in state.facts.padded_axes(source) if axis not in axes]
    fill = source.fill if not left or source.fill == 0.0 or "add" not in combine else None
    made = Version(node.output[0], target, split, fill if left else 0.0)
    cost = state.facts.tariff.price(reduced(source.map, inner, PART), after, combine)
    if cost >= NEVER:
        raise NoWay(tr("no way to reduce {value} in {map}", source.value, source.map))
    return state.did(Shift(source, made, combine, inner), cost, made)


def reduced_axes(index: Index, node: onnx.NodeProto, rank: int) -> tuple[int, ...]:
    """The axes that a reduction reduces. Raises NotPlanned."""
    given = attributes(node).get("axes")
    if given is None and len(node.input) > 1 and node.input[1]:
        if node.input[1] not in index.constants:
            raise NotPlanned(tr("node {name}: its axes are computed", node.name), tr("axes that are constants"))
        given = index.constants[node.input[1]]
    if given is None or len(given) == 0:
        return tuple(range(rank))
    return tuple(sorted(int(axis) % rank for axis in given))
