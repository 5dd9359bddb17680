"""Gradients of matrix products. With G the gradient of A B: G Bᵀ by A, and Aᵀ G by B."""

from __future__ import annotations

import onnx

from haribote.answers.ownership import exercise
from haribote.autodiff.rules import Backward, Gradients, gradient
from simulator.messages import tr


@exercise("2.3")
def gemm(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """For A' B' + C, where A' is A or its transpose, and B' alike; products without any Transpose node."""
    raise NotImplementedError


@gradient("Gemm", "MatMul")
def of_matrices(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """What `gemm` covers; products of stacks, and those with another alpha or beta, are first written in the core."""
    matrices = all(len(g.shapes[name]) == 2 for name in node.input[:2])
    g.require(matrices, tr("both factors must be matrices"))
    g.require(g.attribute("alpha", 1.0) == g.attribute("beta", 1.0) == 1, tr("alpha and beta must be 1"))
    return gemm(g, node, grad)
