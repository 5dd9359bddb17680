"""Task 2.1: the gradient of Relu.

It is taught in notebooks/02_autograd/01_chain_rule, section 5.
Check it with `grader check 2.1`; if you are stuck, `grader hint 2.1`.
"""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients
from haribote.errors import NotWritten


def relu(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = max(x, 0): yield the name of the gradient by x, which is `grad` where y > 0, else 0.

    node.input[0] is x, node.output[0] is y; grad is the name of the loss's gradient by y, of y's shape. A node is added
    with `g.op("Mul", a, b)`, which returns the name of its result; intermediate results get a name of their own with
    `part="…"`, and the last one none. `g.number(0, y)` is a constant of y's dtype. Cast has the attribute `to`, here
    `to=onnx.helper.np_dtype_to_tensor_dtype(g.index.dtype[x])`: ONNX's number of x's dtype.
    """
    # TODO: about 4 lines.
    raise NotWritten("task 2.1 (the gradient of Relu) is not written yet; check it with `grader check 2.1`")
