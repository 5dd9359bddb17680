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
    Nodes have alpha = beta = 1.
    """
    a, b, *c = node.input
    g.require(g.attribute("alpha", 1.0) == 1 and g.attribute("beta", 1.0) == 1, "alpha and beta must be 1")
    ta, tb = g.attribute("transA", 0), g.attribute("transB", 0)
    # TODO: about 8 lines.
    raise NotWritten("task 2.3 (the gradient of Gemm) is not written yet; check it with `grader check 2.3`")
    if c and c[0]:
        yield g.sum_to(grad, c[0], g.shapes[node.output[0]])
