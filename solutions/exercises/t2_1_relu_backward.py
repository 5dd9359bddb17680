"""Task 2.1: the gradient of Relu (what arrives, where the output is positive)."""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients


def relu(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = max(x, 0): yield the name of the gradient by x, which is `grad` where y > 0, else 0.

    node.input[0] is x, node.output[0] is y; grad is the name of the loss's gradient by y, of y's shape. A node is added
    with `g.op("Mul", a, b)`, which returns the name of its result; intermediate results get a name of their own with
    `part="…"`, and the last one none. `g.number(0, y)` is a constant of y's dtype. Cast has the attribute `to`, here
    `to=onnx.helper.np_dtype_to_tensor_dtype(g.index.dtype[x])`: ONNX's number of x's dtype.
    """
    ### BEGIN SOLUTION
    x, y = node.input[0], node.output[0]
    positive = g.op("Greater", y, g.number(0, y), part="positive")
    to = onnx.helper.np_dtype_to_tensor_dtype(g.index.dtype[x])
    yield g.op("Mul", grad, g.op("Cast", positive, part="mask", to=to))
    ### END SOLUTION
