"""Gradients of matrix products. With G the gradient of A B: G Bᵀ by A, and Aᵀ G by B."""

from __future__ import annotations

from typing import Any

import onnx

from haribote.answers.ownership import exercise
from haribote.autodiff.rules import Backward, Gradients, gradient
from simulator.messages import tr


@gradient("Gemm", "MatMul")
@exercise("2.3")
def gemm(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For alpha A' B' + beta C, where A' is A or its transpose, and B' alike; products without any Transpose node."""
    a, b, *c = node.input
    g.require(len(g.shapes[a]) == len(g.shapes[b]) == 2, tr("both factors must be matrices"))
    ta, tb = g.attribute("transA", 0), g.attribute("transB", 0)
    if ta:
        yield _product(g, b, grad, tb, 1)
    else:
        yield _product(g, grad, b, 0, 1 - tb)
    if tb:
        yield _product(g, grad, a, 1, ta)
    else:
        yield _product(g, a, grad, 1 - ta, 0)
    if c and c[0]:
        beta, shape = g.attribute("beta", 1.0), g.shapes[node.output[0]]
        scaled = grad if beta == 1 else g.op("Mul", grad, g.number(beta, node.output[0]), part="scaled")
        yield g.sum_to(scaled, c[0], shape)


def _product(g: Backward, a: str, b: str, ta: int, tb: int) -> str:
    """The product with the transpositions, times the node's alpha; attributes at their default are left out."""
    attrs: dict[str, Any] = {name: 1 for name, set_ in (("transA", ta), ("transB", tb)) if set_}
    if g.attribute("alpha", 1.0) != 1:
        attrs["alpha"] = g.attribute("alpha", 1.0)
    return g.op("Gemm", a, b, **attrs)
