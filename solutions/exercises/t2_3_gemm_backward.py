"""Task 2.3: the gradient of Gemm (G Bᵀ by A and Aᵀ G by B, without any Transpose node)."""

from __future__ import annotations

import onnx

from haribote.autodiff.rules import Backward, Gradients


def gemm(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For Y = A' B' (+ C), A' being A or, with transA, its transpose, and B' alike: yield the gradients' names in turn.

    node.input is A, B and, where there is one, C; grad is the name of the loss's gradient by Y. Products are
    `g.op("Gemm", a, b, transA=1)`, with transA and transB or without; no Transpose node is needed.
    Nodes have alpha = beta = 1.
    """
    a, b, *c = node.input
    g.require(g.attribute("alpha", 1.0) == 1 and g.attribute("beta", 1.0) == 1, "alpha and beta must be 1")
    ta, tb = g.attribute("transA", 0), g.attribute("transB", 0)
    ### BEGIN HOLE
    if ta:
        yield g.op("Gemm", b, grad, transA=tb, transB=1)
    else:
        yield g.op("Gemm", grad, b, transB=1 - tb)
    if tb:
        yield g.op("Gemm", grad, a, transA=1, transB=ta)
    else:
        yield g.op("Gemm", a, grad, transA=1 - ta)
    ### END HOLE
    if c and c[0]:
        yield g.sum_to(grad, c[0], g.shapes[node.output[0]])
