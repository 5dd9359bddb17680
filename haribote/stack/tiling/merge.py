"""Contiguous axes that no operator tells apart become one: of 3x3x3, each padded to 4, nothing is lost any more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

import onnx

from haribote.core.elementwise import ELEMENTWISE
from haribote.graph import Index, complete, set_metadata, updates
from haribote.graphs.tiles import MERGED
from haribote.stack.maps import axis_bits
from haribote.stack.planner.same_axes import SameAxes

Between = tuple[str, int]
"""A value and the number, from the last one on, of an axis that may become one with the axis before it."""
MOST = 1 << 16
"""Elements of the largest value where merging saves no padding, only makes layouts alike."""


def merge(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with merged axes; as it is where that saves nothing. The shapes that inputs and outputs had are in the
    metadata (`graphs.tiles`)."""
    index = Index(model)
    apart = _Apart(model, index)
    merged = {name: apart.merged(name) for name in index.shape}
    changed = {name for name, shape in merged.items() if shape != index.shape[name]}
    before, after = (sum(_padded(shapes[name]) for name in changed) for shapes in (index.shape, merged))
    largest = max((prod(merged[name]) for name in changed), default=0)
    odd = any(size != 1 << axis_bits(size) for name in changed for size in index.shape[name])
    if not changed or not odd or after > before or (after == before and largest > MOST):
        return model
    found = onnx.ModelProto()
    found.CopyFrom(model)
    graph = found.graph
    for value in (*graph.input, *graph.output):
        dims = value.type.tensor_type.shape.dim
        del dims[:]
        for size in merged[value.name]:
            dims.add().dim_value = size
    for tensor in graph.initializer:
        tensor.dims[:] = merged[tensor.name]
    del graph.value_info[:]
    ends = {name: index.shape[name] for name in (*index.inputs, *index.outputs) if name in changed}
    set_metadata(found, **{MERGED: json.dumps(ends)})
    return complete(found)


def _padded(shape: Sequence[int]) -> int:
    """Places of a value whose axes are padded to powers of two."""
    return prod(1 << axis_bits(size) for size in shape)


class _Apart:
    """Which neighbouring axes an operator tells apart."""

    def __init__(self, model: onnx.ModelProto, index: Index) -> None:
        self.shape = index.shape
        self._same = SameAxes()
        self._kept: set[Between] = set()
        for node in model.graph.node:
            names = [name for name in (*node.input, *node.output) if name]
            if node.op_type in ELEMENTWISE:
                for name in names:
                    self._beside(name, node.output[0])
            else:
                self._kept.update(at for name in names for at in self._all(name))
        for one, other in updates(model).items():
            self._beside(one, other)
        self._roots = {self._same.first(at) for at in self._kept}

    def merged(self, name: str) -> tuple[int, ...]:
        """The shape of a value."""
        found: list[int] = []
        shape = self.shape[name]
        for axis, size in enumerate(shape):
            if axis and self._same.first((name, len(shape) - 1 - axis)) not in self._roots:
                found[-1] *= size
            else:
                found.append(size)
        return tuple(found)

    def _all(self, name: str) -> Iterator[Between]:
        return ((name, number) for number in range(len(self.shape[name]) - 1))

    def _beside(self, name: str, result: str) -> None:
        """An operand, which may be broadcast, and a result: what is merged in one is merged in the other."""
        whole = self.shape[result]
        own = (1,) * (len(whole) - len(self.shape[name])) + self.shape[name]
        there = [(axis, own[axis] == size) for axis, size in enumerate(whole) if size != 1]
        for (left, before), (right, after) in pairwise(there):
            if before != after:  # broadcast along one of them, across any axes of size 1 between them
                self._kept.update((result, len(whole) - 2 - axis) for axis in range(left, right))
        for number in range(len(whole) - 1):
            if number < len(self.shape[name]) - 1:
                self._same.join((result, number), (name, number))
