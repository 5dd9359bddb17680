"""Task 1.1: a lowering rule (addmm, what a Linear layer traces to, as MatMul and Add)."""

from __future__ import annotations

from haribote.frontend.aten import Lowering, Scalar


def addmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    """Add the ONNX nodes of beta * c + alpha * (a @ b), and return the name of the result.

    a: [n, k], b: [k, m], c: [m], each the name of a value. A node is added with `g.op("Relu", x)`, which returns its
    name; a node on the way to the result gets `part="…"`, the last one none. Other alpha and beta than 1 are refused
    with `g.require(condition, "what is supported")`.
    """
    ### BEGIN SOLUTION
    g.require(beta == 1 and alpha == 1, "only beta = alpha = 1 is supported")
    return g.op("Add", g.op("MatMul", a, b, part="matmul"), c)
    ### END SOLUTION
