"""One small rule per ATen operation: how it is written in ONNX.

A rule receives the operation's arguments as the traced program has them, tensors as ONNX value names, and returns the
name of its result (a tuple of names where the operation has several). Its last node takes the result's own name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import fx

from haribote.answers.ownership import exercise
from haribote.errors import UnsupportedOp
from haribote.graph import Builder
from haribote.graphs.writer import NodeWriter

aten = torch.ops.aten
Rule = Callable[..., Any]
Scalar = float | int

RULES: dict[Any, Rule] = {}
"""ATen overload to its rule."""

PROFILER = "profiler"
"""Namespace of the operations that torch's optimisers leave in a trace; they compute nothing."""


class Lowering(NodeWriter):
    """What a rule works with: the ONNX graph so far, and the operation being lowered.

    Attributes:
        node: the operation at hand.
        results: where it has several results, the names of those that have one, by position.
    """

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.node: fx.Node
        self.results: dict[int, str] = {}

    def apply(self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The rule's result for the operation at hand.

        Raises:
            UnsupportedOp: the rule does not cover these arguments.
        """
        try:
            bound = inspect.signature(rule).bind(self, *args, **kwargs)
        except TypeError as error:
            raise UnsupportedOp(f"{self.described()}: its lowering rule does not cover this: {error}") from error
        return rule(*bound.args, **bound.kwargs)

    def value(self, x: str | Scalar) -> str:
        """A tensor's name; a Python number becomes a constant."""
        return x if isinstance(x, str) else self.builder.scalar(x)

    def scaled(self, x: str | Scalar, factor: Scalar) -> str:
        """X times a number; x itself when that is 1."""
        name = self.value(x)
        return name if factor == 1 else self.op("Mul", name, self.builder.scalar(factor), part="scaled")

    def described(self) -> str:
        """The operation at hand and the shapes of its tensors."""
        tensors = [node.meta["val"] for node in self.node.all_input_nodes]
        return f"{self.node.target}({', '.join(str(list(tensor.shape)) for tensor in tensors)})"

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse an operation that is not of the form the rule covers."""
        if not holds:
            raise UnsupportedOp(f"{self.described()}: {constraint}")


def rule(*targets: Any) -> Callable[[Rule], Rule]:
    """Register the rule of these ATen operations."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(targets, function))
        return function

    return register


@rule(aten.detach.default, aten.clone.default, aten.alias.default)
def _same(g: Lowering, x: str, **_: Any) -> str:
    return x


@rule(aten.t.default)
def _t(g: Lowering, x: str) -> str:
    return g.op("Transpose", x, perm=[1, 0])


@rule(aten.mm.default)
def _mm(g: Lowering, a: str, b: str) -> str:
    return g.op("MatMul", a, b)


@rule(aten.addmm.default)
@exercise("1.1")
def addmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    """A B + C, as two nodes."""
    g.require(beta == 1 and alpha == 1, "only beta = alpha = 1 is supported")
    return g.op("Add", g.op("MatMul", a, b, part="matmul"), c)


@rule(aten.relu.default, aten.relu_.default)
def _relu(g: Lowering, x: str) -> str:
    return g.op("Relu", x)


@rule(aten.threshold_backward.default)
def _threshold_backward(g: Lowering, grad: str, x: str, threshold: Scalar) -> str:
    g.require(threshold == 0, "only the gradient of ReLU (threshold 0) is supported")
    positive = g.op("Greater", x, g.builder.scalar(0), part="positive")
    return g.op("Mul", grad, g.op("Cast", positive, part="mask", to=1))


@rule(aten.add.Tensor, aten.add_.Tensor)
def _add(g: Lowering, x: str, y: str | Scalar, *, alpha: Scalar = 1) -> str:
    if alpha < 0:  # SGD writes p + (-lr) * grad
        return g.op("Sub", x, g.scaled(y, -alpha))
    return g.op("Add", x, g.scaled(y, alpha))


@rule(aten.sub.Tensor, aten.sub_.Tensor)
def _sub(g: Lowering, x: str, y: str | Scalar, *, alpha: Scalar = 1) -> str:
    return g.op("Sub", x, g.scaled(y, alpha))


@rule(aten.mul.Tensor, aten.mul_.Tensor)
def _mul(g: Lowering, x: str, y: str | Scalar) -> str:
    return g.op("Mul", x, g.value(y))


@rule(aten.neg.default)
def _neg(g: Lowering, x: str) -> str:
    return g.op("Neg", x)


@rule(aten.sum.dim_IntList)
def _sum(g: Lowering, x: str, dims: list[int], keepdim: bool = False) -> str:
    return g.op("ReduceSum", x, g.ints(dims, "axes"), keepdims=int(keepdim))


@rule(aten.view.default, aten._unsafe_view.default)
def _view(g: Lowering, x: str, shape: list[int]) -> str:
    return g.op("Reshape", x, g.ints(shape, "shape"))


@rule(aten.ones_like.default)
def _ones_like(g: Lowering, x: str, **_: Any) -> str:
    return g.builder.constant(np.ones(g.shapes[x], np.float32), g.result)


@rule(aten._log_softmax.default)
def _log_softmax(g: Lowering, x: str, dim: int, half_to_float: bool) -> str:
    g.require(len(g.shapes[x]) == 2 and dim in (1, -1), f"logits must be [N, classes], received {list(g.shapes[x])}")
    return g.op("LogSoftmax", x, axis=1)


@rule(aten._log_softmax_backward_data.default)
def _log_softmax_backward(g: Lowering, grad: str, log_p: str, dim: int, dtype: torch.dtype) -> str:
    return g.op("LogSoftmaxGrad", grad, log_p)


_REDUCTIONS = {1: "mean", 2: "sum"}


@rule(aten.nll_loss_forward.default)
def _nll_loss(
    g: Lowering, log_p: str, labels: str, weight: str | None, reduction: int, ignore_index: int
) -> tuple[str, str]:
    g.require(weight is None, "class weights are not supported")
    g.require(reduction in _REDUCTIONS, "the loss must be reduced to one number (reduction='mean' or 'sum')")
    g.require(ignore_index < 0, "ignore_index must stay outside the classes (the default -100)")
    loss = g.op("NegativeLogLikelihoodLoss", log_p, labels, reduction=_REDUCTIONS[reduction])
    # The second result is the normaliser of the mean: the number of labels, as none is ignored.
    return loss, g.builder.constant(np.array(g.shapes[labels][0], np.float32), f"{loss}.total_weight")


@rule(aten.nll_loss_backward.default)
def _nll_loss_backward(
    g: Lowering,
    grad: str,
    log_p: str,
    labels: str,
    weight: str | None,
    reduction: int,
    ignore_index: int,
    total_weight: str,
) -> str:
    scale = g.op("Div", grad, total_weight, part="scale") if _REDUCTIONS[reduction] == "mean" else grad
    return g.op("NLLLossGrad", scale, labels, classes=g.shapes[log_p][1])
