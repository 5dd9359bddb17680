"""Which dimensions of a graph are the same one, and what `pad` pads them to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from haribote.errors import GraphError
from haribote.graph import Index, Shape, attributes
from haribote.kernel_table import TILE, TILE_FEATURES, TILE_ROWS
from simulator.messages import tr

Dimension = tuple[str, int]
"""A value's name and one of its axes."""

ELEMENTWISE = {"Add", "Sub", "Mul", "Relu", "Neg", "Identity", "Greater", "Cast", "LogSoftmax", "LogSoftmaxGrad"}


class Sizes:
    """Which dimensions of the graph are the same one, and the padded size of each."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.index = index = Index(model)
        self.parent: dict[Dimension, Dimension] = {}
        for name in ("x", "labels"):
            shape = index.shape.get(name, ())
            if name in index.inputs and len(shape) != {"x": 2, "labels": 1}[name]:
                raise GraphError(
                    tr("pad: input {name!r} has shape {shape}", name, list(shape)), tr("x [N, features] and labels [N]")
                )
        for node in model.graph.node:
            for a, b in same_dimensions(node, index) or _alike(node, index):
                self.parent[self.find(a)] = self.find(b)

    def find(self, dimension: Dimension) -> Dimension:
        """The representative of all dimensions that are the same as this one."""
        while dimension in self.parent and self.parent[dimension] != dimension:
            dimension = self.parent[dimension]
        return dimension

    def is_batch(self, dimension: Dimension) -> bool:
        """Whether it is the number of rows, of x or of the labels."""
        return self.find(dimension) in (self.find(("x", 0)), self.find(("labels", 0)))

    def has_rows(self, name: str) -> bool:
        """Whether an axis of a value is the number of rows."""
        return any(self.is_batch((name, axis)) for axis in range(len(self.index.shape[name])))

    def padded(self, name: str) -> Shape:
        """The padded shape of a value: no kernel works on more than two axes, and constants that are no floats are
        axes and shapes, which stay as they are."""
        shape = self.index.shape[name]
        if len(shape) > 2 or (name in self.index.constants and self.index.dtype[name] != np.float32):
            return shape
        return tuple(self._size((name, axis), size) for axis, size in enumerate(shape))

    def grows(self, dimension: Dimension) -> bool:
        """Whether padding changes it."""
        name, axis = dimension
        return self.padded(name)[axis] != self.index.shape[name][axis]

    def _size(self, dimension: Dimension, size: int) -> int:
        if self.is_batch(dimension):
            return _up(size, TILE_ROWS)
        if self.find(dimension) == self.find(("x", 1)) and size > TILE:
            return _up(size, TILE_FEATURES)
        return _up(size, TILE)


def _up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


def same_dimensions(node: onnx.NodeProto, index: Index) -> list[tuple[Dimension, Dimension]] | None:
    """The pairs of dimensions that the node makes equal; None where padding has no rule for it."""
    inputs, y, attrs = node.input, node.output[0], attributes(node)
    if node.op_type == "Gemm" and len(inputs) == 2:
        (a, b), ta, tb = inputs, attrs.get("transA", 0), attrs.get("transB", 0)
        return [((a, 1 - ta), (b, tb)), ((a, ta), (y, 0)), ((b, 1 - tb), (y, 1))]
    if node.op_type in ELEMENTWISE:
        rank = len(index.shape[y])
        pairs = []
        for name in inputs:
            for axis, size in enumerate(index.shape[name]):
                target = axis + rank - len(index.shape[name])
                if size == index.shape[y][target]:  # otherwise broadcast
                    pairs.append(((name, axis), (y, target)))
        return pairs
    if node.op_type == "ReduceSum" and len(inputs) == 2 and attrs.get("keepdims") == 0:
        rank = len(index.shape[inputs[0]])
        left = [axis for axis in range(rank) if axis not in index.constants[inputs[1]] % rank]
        return [((inputs[0], axis), (y, position)) for position, axis in enumerate(left)]
    if node.op_type == "NLLLossGrad":
        return [((inputs[1], 0), (y, 0))]
    if node.op_type == "NegativeLogLikelihoodLoss" and len(inputs) == 2 and _is_mean_or_sum(attrs):
        return [((inputs[0], 0), (inputs[1], 0))]
    return None


def _alike(node: onnx.NodeProto, index: Index) -> list[tuple[Dimension, Dimension]]:
    """The dimensions that a node without a rule keeps, as far as shapes tell: padded alike, others can work on them."""
    y = node.output[0]
    axes = range(len(index.shape[y]))
    return [((x, axis), (y, axis)) for x in node.input if x and index.shape[x] == index.shape[y] for axis in axes]


def _is_mean_or_sum(attrs: Mapping[str, Any]) -> bool:
    """Whether a loss is one number in which every row counts."""
    return attrs.get("reduction", b"mean") in (b"mean", b"sum") and attrs.get("ignore_index", -1) < 0
