"""Element-wise operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from math import inf

import onnx

from haribote.graph import has_labels
from haribote.stack.maps import BitMap
from haribote.stack.plan import Compute, Version, view_shape
from haribote.stack.planner.facts import FAR_BELOW, LEAST_INTEGER, Facts, operand_split
from haribote.stack.planner.families import Layout, Split, projected
from haribote.stack.planner.homes import kept_elsewhere
from haribote.stack.planner.states import NoWay, State, groups
from haribote.stack.vectors.emit import steps
from haribote.stack.vectors.fills import fill_of
from simulator.isa import STEP_CYCLES


def elementwise(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """In the layout of an operand that is as large as the result, or, where none is there yet, in any."""
    facts, name = state.facts, node.output[0]
    if name in facts.updated and state.residents(facts.updated[name]):
        for kept in (state, *kept_elsewhere(state, node)):
            with suppress(NoWay):
                yield _updated(kept, node)
        return
    for split, found in _loops(state, node):
        with suppress(NoWay):
            yield _computed(state, node, split, found)[0]


def _loops(state: State, node: onnx.NodeProto) -> list[Layout]:
    """The layouts in which a node may be computed."""
    facts, shape = state.facts, state.facts.index.shape[node.output[0]]
    places: dict[Layout, None] = {}
    for name in dict.fromkeys(node.input):
        if name and facts.index.shape[name] == shape:
            places |= {(v.split, v.map): None for v in state.of(name)}
    if not places:
        places = {place: None for name in node.input if name for place in _widened(state, name, node.output[0])}
    return list(places or dict.fromkeys(facts.layouts(node.output[0])))


def _widened(state: State, name: str, result: str) -> Iterator[Layout]:
    """The layouts of a larger value in which a broadcast operand can stay where it is."""
    for version in state.of(name):
        for split, found in state.facts.layouts(result):
            own = operand_split(split, state.facts.index.shape[name])
            if own == version.split and projected(found, view_shape(own)) == version.map:
                yield split, found


def _updated(state: State, node: onnx.NodeProto) -> State:
    """The new value of a parameter, in every version in which the parameter is resident."""
    name = node.output[0]
    for version in state.residents(state.facts.updated[name]):
        state, made = _computed(state, node, version.split, version.map)
        if state.facts.padded_axes(made) and made.fill != version.fill:
            state, _ = state.get(replace(made, fill=version.fill))
    return state


def _computed(state: State, node: onnx.NodeProto, split: Split, found: BitMap) -> tuple[State, Version]:
    """A loop over a layout; operands are brought to it."""
    facts, reads = state.facts, []
    for name in dict.fromkeys(node.input):
        if not name or name in facts.scalars:
            continue
        own = operand_split(split, facts.index.shape[name])
        state, version = state.get(Version(name, projected(found, view_shape(own)), own), place_only=True)
        reads.append(version)
    made = Version(node.output[0], found, split)
    made = replace(made, fill=_fill(facts, node, reads, made))
    cost = STEP_CYCLES * groups(found) * _steps(facts, node)
    return state.did(Compute((node,), tuple(reads), (made,)), cost, made), made


def _steps(facts: Facts, node: onnx.NodeProto) -> int:
    """Steps for a group of four long words."""
    dtypes = {name: facts.index.dtype[name] for name in (*node.input, *node.output) if name}
    scalars = {name: facts.scalars[name] for name in node.input if name in facts.scalars}
    return steps([node], dtypes, scalars)


ORDINARY = "ordinary"
"""What an element of the graph may be, beside what padding holds: any number, an infinity too."""

Held = float | str | None
"""What a place holds: its padding, an element (ORDINARY), or anything (None)."""


def _fill(facts: Facts, node: onnx.NodeProto, reads: Sequence[Version], made: Version) -> float | None:
    """What padding holds after a node, from what it held before; None where that is not known, or where it is not the
    same everywhere.
    """
    padded = facts.padded_axes(made)
    if not padded:
        return 0.0
    held: dict[str, list[Held]] = {name: [float(array.item())] for name, array in facts.scalars.items()}
    held |= {version.value: _held(facts, version, padded, len(made.split)) for version in reads}
    names = [name for name in node.input if name]
    cases = product(*(held[name] for name in names))
    found = {_fill_from(facts, node, dict(zip(names, case, strict=True))) for case in cases}
    return found.pop() if len(found) == 1 else None


def _held(facts: Facts, version: Version, padded: Sequence[int], rank: int) -> list[Held]:
    """What an operand holds where the result is padding. An operand that is broadcast along a padded axis has its
    elements there, and where it is padded along another axis its own padding.
    """
    shape = facts.index.shape[version.value]
    if all(axis >= rank - len(shape) and shape[axis - rank] != 1 for axis in padded):
        return [version.fill]
    return [ORDINARY, version.fill] if facts.padded_axes(version) else [ORDINARY]


def _fill_from(facts: Facts, node: onnx.NodeProto, held: Mapping[str, Held]) -> float | None:
    """What a node makes of what its operands hold; None where that is not known."""
    if FAR_BELOW in held.values():
        return 0.0 if node.op_type == "Exp" else None
    fills = {name: fill for name, fill in held.items() if isinstance(fill, float)}
    if len(fills) == len(held):
        return fill_of(node, fills, {name: facts.index.dtype[name] for name in fills})
    if node.op_type == "Div" and facts.kind(node.output[0]) == "int":
        return None  # 0 / 0 is anything
    return _fill_beside_unknown(node, [held[name] for name in node.input if name])


def _fill_beside_unknown(node: onnx.NodeProto, held: Sequence[Held]) -> float | None:
    """What an operator gives whatever the other operand holds: 0 times anything (the machine has no NaN); and whatever
    the element is that it has: less than all of them when infinity is taken off, a comparison with what is no index."""
    op_type = node.op_type
    if (op_type == "Mul" and 0.0 in held) or (op_type == "Div" and held[0] == 0.0):
        return 0.0
    if ORDINARY not in held:
        return None
    if (op_type == "Add" and -inf in held) or (op_type == "Sub" and (held[0] == -inf or held[1] == inf)):
        return FAR_BELOW
    return 0.0 if op_type == "Equal" and has_labels(node) and LEAST_INTEGER in held else None
