"""Task 2.3: the gradient of Gemm.

It is taught in notebooks/02_autograd/02_gemm, section 4.
Check it with `grader check 2.3`; if you are stuck, `grader hint 2.3`.
"""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients
from haribote.errors import NotWritten


def gemm(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For Y = A' B' (+ C), A' being A or, with transA, its transpose, and B' alike: yield the gradients' names in turn.

    node.input is A, B and, where there is one, C; grad is the name of the loss's gradient by Y. Products are
    `g.op("Gemm", a, b, transA=1)`, with transA and transB or without; no Transpose node is needed.
    `g.attribute("transA", 0)` is the node's. C is broadcast: `g.sum_to(grad, c, g.shapes[node.output[0]])`. Nodes have
    alpha = beta = 1; refuse others with `g.require(condition, "what is supported")`.
    """
    # TODO: about 13 lines.
    raise NotWritten("task 2.3 (the gradient of Gemm) is not written yet; check it with `grader check 2.3`")
