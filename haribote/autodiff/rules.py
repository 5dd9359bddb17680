"""The register of gradient rules, and what a rule works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx

from haribote.core.from_onnx.reductions import axes_of
from haribote.errors import UnsupportedOp
from haribote.graph import Builder, Index, Shape, attributes
from haribote.graphs.writer import NodeWriter, registering
from simulator.messages import tr

Gradients = Iterator[str | None]
"""For each input of a node, in order: the name of the loss's gradient by it, None where there is none."""


class NoGradient(UnsupportedOp):
    """A node whose operator has no rule, or which is not of the form that its rule covers."""

    def __init__(self, node: str, what: str, advice: str = "") -> None:
        super().__init__(what, advice)
        self.node = node


Rule = Callable[..., Gradients]
RULES: dict[str, Rule] = {}
"""Operator to its rule `(g, node, grad)`; grad: the loss's gradient by the node's (first) output."""


gradient = registering(RULES)
"""Registers the rule of these operators."""


class Backward(NodeWriter):
    """What a rule works with: the graph so far, shapes and attributes of the forward part.

    While the rule computes the gradient by its k-th input, `result` is that gradient's name.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        super().__init__(Builder.like(model))
        self.index = Index(model)
        self.shapes = self.index.shape
        self.node: onnx.NodeProto

    def attribute(self, name: str, default: Any) -> Any:
        """An attribute of the node at hand."""
        return attributes(self.node).get(name, default)

    def number(self, value: float, like: str) -> str:
        """A constant of shape [], of the same dtype as a forward value."""
        return self.builder.scalar(value, self.index.dtype[like])

    def sum_to(self, grad: str, target: str, shape: Shape) -> str:
        """The gradient of this shape, summed over the axes along which the target was broadcast."""
        wanted = self.shapes[target]
        new = len(shape) - len(wanted)
        stretched = [axis + new for axis, size in enumerate(wanted) if size == 1 and shape[axis + new] != 1]
        if new and stretched:
            grad = self.op("ReduceSum", grad, self.ints(stretched, "axes"), keepdims=1, part="kept")
        if new:
            return self.op("ReduceSum", grad, self.ints(list(range(new)), "axes"), keepdims=0)
        if stretched:
            return self.op("ReduceSum", grad, self.ints(stretched, "axes"), keepdims=1)
        return grad

    def axes(self, node: onnx.NodeProto) -> set[int]:
        """The axes that a node reduces, which must be constants."""
        found = axes_of(self.index, node)
        self.require(found is not None, tr("its axes must be constant"))
        return set(found or ())

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse a node that is not of the form the rule covers."""
        if not holds:
            shapes = ", ".join(str(list(self.shapes[name])) for name in self.node.input if name)
            what = tr(
                "no gradient of node {name!r}, {op_type}({shapes}): {constraint}",
                self.node.name,
                self.node.op_type,
                shapes,
                constraint,
            )
            raise NoGradient(self.node.name, what)


def is_float(index: Index, name: str) -> bool:
    """Whether a value may have a gradient."""
    return name in index.dtype and np.issubdtype(index.dtype[name], np.floating)
