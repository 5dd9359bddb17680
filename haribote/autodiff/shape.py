"""Gradients of operators that move or sum elements."""

from __future__ import annotations

import math

import numpy as np
import onnx

from haribote.autodiff.rules import Backward, Gradients, gradient


@gradient("Reshape", "Flatten", "Squeeze", "Unsqueeze")
def reshape(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The gradient in the input's shape."""
    yield g.shaped(grad, g.shapes[node.input[0]])


@gradient("Transpose")
def transpose(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The axes go back."""
    perm = g.attribute("perm", list(reversed(range(len(g.shapes[node.input[0]])))))
    yield g.op("Transpose", grad, perm=[int(axis) for axis in np.argsort(perm)])


@gradient("ReduceSum", "ReduceMean")
def reduce_sum(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """The gradient, repeated along the axes that were summed; for the mean, divided by their length."""
    x, y = node.input[0], node.output[0]
    shape = g.shapes[x]
    if node.op_type == "ReduceMean":
        grad = g.op("Div", grad, g.number(math.prod(shape) / max(math.prod(g.shapes[y]), 1), y), part="share")
    if len(g.shapes[y]) != len(shape):
        axes = g.axes(node)
        kept = [1 if axis in axes else size for axis, size in enumerate(shape)]
        grad = g.shaped(grad, kept, part="kept")
    yield g.op("Expand", grad, g.ints(list(shape), "shape"))
