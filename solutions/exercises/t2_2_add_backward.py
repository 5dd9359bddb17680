"""Task 2.2: the gradient of Add (both inputs get what arrives; a bias gets the sum over what it was added to)."""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients


def add(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = a + b: yield the name of the gradient by a, then that of the gradient by b.

    node.input is a and b, node.output[0] is y; grad is the name of the loss's gradient by y, of y's shape. An input
    that was broadcast (a bias of shape [16] added to [256, 16]) gets the sum over the rows: `g.sum_to(grad, name,
    shape)` sums a gradient of this shape to the shape of the value `name`. `g.shapes[name]` is a value's shape.
    """
    ### BEGIN SOLUTION
    shape = g.shapes[node.output[0]]
    yield g.sum_to(grad, node.input[0], shape)
    yield g.sum_to(grad, node.input[1], shape)
    ### END SOLUTION
