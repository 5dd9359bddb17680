"""What the axes of a training step of matrices stand for: the batch, or the features of a layer.

Axes that are the same are followed through the graph: through products by their letters, through all else by their
place. A weight joins the features of two layers, so that layers are even and odd in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Literal

import onnx

from haribote.errors import HariboteError
from haribote.graph import Index, updates
from haribote.graphs.tiles import Tiles, tile_table
from haribote.stack.planner.letters import PRODUCTS
from haribote.stack.planner.reductions import REDUCTIONS
from haribote.stack.planner.same_axes import Axis, SameAxes, product_axes, reduction_axes

Role = Literal["batch", "even", "odd", "none"]
Roles = Mapping[str, tuple[Role, ...]]
"""Of every value those of its axes, "none" for what is not known and for axes of one element."""
MATRIX = 2
"""Axes of a value of such a step, at most."""


def roles(model: onnx.ModelProto) -> Roles | None:
    """The roles of all axes; None where they are not clear: no parameters, inputs of different batches, values of more
    than two axes, operators that do not follow axes, or layers in a circle."""
    index, updated = Index(model), updates(model)
    given = [name for name in index.inputs if name not in updated and prod(index.shape[name]) > 1]
    batches = {shape[0] for shape in _whole_shapes(model, index, given)}
    if not updated or len(batches) != 1 or any(len(shape) > MATRIX for shape in index.shape.values()):
        return None
    same = SameAxes()
    for name in given:
        same.join((given[0], 0), (name, 0))
    for before, after in updated.items():
        for axis in range(len(index.shape[before])):
            same.join((before, axis), (after, axis))
    for node in model.graph.node:
        try:
            for one, other in _pairs(index, node):
                same.join(one, other)
        except HariboteError:
            return None
    batch = same.first((given[0], 0))
    layers = _layers(
        _weights(model, updated, same), [same.first((name, 1)) for name in given if len(index.shape[name]) > 1]
    )
    if layers is None or batch in layers:
        return None
    layers[batch] = "batch"

    def role(name: str, axis: int, size: int) -> Role:
        return layers.get(same.first((name, axis)), "none") if size > 1 else "none"

    return {name: tuple(role(name, *axis) for axis in enumerate(shape)) for name, shape in index.shape.items()}


def _whole_shapes(model: onnx.ModelProto, index: Index, names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """The shapes of these values, or of those that they are pieces of."""
    tiles = Tiles(tile_table(model))
    for name in tiles.wholes(names):
        yield tiles.shape(name) if name in tiles else index.shape[name]


def _pairs(index: Index, node: onnx.NodeProto) -> Iterator[tuple[Axis, Axis]]:
    """The axes that are the same in what a node reads and in what it makes. Raises NotPlanned."""
    if node.op_type in PRODUCTS:
        yield from product_axes(index, node)
    elif node.op_type in REDUCTIONS:
        yield from reduction_axes(index, node)
    else:
        for name, output in product(filter(None, node.input), node.output):
            a, b = index.shape[name], index.shape[output]
            for back in range(1, min(len(a), len(b)) + 1):
                if a[-back] == b[-back]:
                    yield (name, len(a) - back), (output, len(b) - back)


def _weights(model: onnx.ModelProto, updated: Mapping[str, str], same: SameAxes) -> Mapping[Axis, set[Axis]]:
    """The layers that a weight joins with each layer."""
    found = defaultdict[Axis, set[Axis]](set)
    for node in model.graph.node:
        for name in node.input if node.op_type in PRODUCTS else ():
            if name in updated:
                one, other = same.first((name, 0)), same.first((name, 1))
                found[one].add(other)
                found[other].add(one)
    return found


def _layers(joined: Mapping[Axis, set[Axis]], inputs: Sequence[Axis]) -> dict[Axis, Role] | None:
    """Even and odd layers, those of the inputs even; None where there is no such order."""
    found: dict[Axis, Role] = {}
    for start in (*inputs, *joined):
        todo = [] if start in found else [start]
        found.setdefault(start, "even")
        while todo:
            layer = todo.pop()
            beside: Role = "odd" if found[layer] == "even" else "even"
            for other in joined.get(layer, ()):
                if other not in found:
                    found[other] = beside
                    todo.append(other)
                elif found[other] != beside:
                    return None
    return found
