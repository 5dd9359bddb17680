"""Task 2.2: the gradient of Add.

It is taught in notebooks/02_autograd/01_chain_rule, section 6.
Check it with `grader check 2.2`; if you are stuck, `grader hint 2.2`.
"""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients
from haribote.errors import NotWritten


def add(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For y = a + b: yield the name of the gradient by a, then that of the gradient by b.

    node.input is a and b, node.output[0] is y; grad is the name of the loss's gradient by y, of y's shape. An input
    that was broadcast (a bias of shape [16] added to [256, 16]) gets the sum over the rows: `g.sum_to(grad, name,
    shape)` sums a gradient of this shape to the shape of the value `name`. `g.shapes[name]` is a value's shape.
    """
    # TODO: about 3 lines.
    raise NotWritten("task 2.2 (the gradient of Add) is not written yet; check it with `grader check 2.2`")
