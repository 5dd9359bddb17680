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
from onnx import helper
from torch import fx

from haribote.answers.ownership import exercise
from haribote.errors import UnsupportedOp
from haribote.graph import Builder
from haribote.graphs.writer import NodeWriter
from simulator.messages import tr

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
        types: the dtypes of the values that a rule may read, as `shapes`.
    """

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.node: fx.Node
        self.results: dict[int, str] = {}
        self.types: dict[str, torch.dtype] = {}

    @property
    def dtype(self) -> torch.dtype:
        """Of the result; of the first one where there are several."""
        return _first(self.node.meta["val"]).dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result; of the first one where there are several."""
        return tuple(_first(self.node.meta["val"]).shape)

    def apply(self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The rule's result for the operation at hand.

        Raises:
            UnsupportedOp: the rule does not cover these arguments.
        """
        try:
            bound = inspect.signature(rule).bind(self, *args, **kwargs)
        except TypeError as error:
            raise UnsupportedOp(
                tr(
                    "{described}: its lowering rule does not cover this: {error}",
                    described=self.described(),
                    error=error,
                )
            ) from error
        return rule(*bound.args, **bound.kwargs)

    def value(self, x: str | Scalar, dtype: torch.dtype | None = None) -> str:
        """A tensor's name, cast where it has another dtype; a Python number becomes a constant of that dtype.

        dtype: by default the result's.
        """
        dtype = dtype or self.dtype
        if not isinstance(x, str):
            self.require_fitting(x, dtype)
            return self.builder.scalar(x, numpy_dtype(dtype))
        if self.types.get(x, dtype) == dtype:
            return x
        found = self.op("Cast", x, part=f"{x}.cast", to=onnx_type(dtype))
        self.shapes[found], self.types[found] = self.shapes[x], dtype
        return found

    def axes(self, dims: int | list[int] | None, rank: int) -> list[int]:
        """Axes from 0 on; all of them where torch names none."""
        named = [dims] if isinstance(dims, int) else dims
        return [axis % max(rank, 1) for axis in named] if named else list(range(rank))

    def scaled(self, x: str | Scalar, factor: Scalar) -> str:
        """X times a number; x itself when that is 1."""
        name = self.value(x)
        if factor == 1:
            return name
        return self.op("Mul", name, self.builder.scalar(factor, numpy_dtype(self.dtype)), part="scaled")

    def described(self) -> str:
        """The operation at hand and the shapes of its tensors."""
        tensors = [node.meta["val"] for node in self.node.all_input_nodes]
        return f"{self.node.target}({', '.join(str(list(tensor.shape)) for tensor in tensors)})"

    def require_fitting(self, x: Scalar, dtype: torch.dtype) -> None:
        """Refuse a constant that is too large for the chip."""
        fits = dtype.is_floating_point or -(2**31) <= x < 2**31
        self.require(fits, tr("integers have 32 bits on the chip, received the constant {x}", x=x))

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse an operation that is not of the form the rule covers."""
        if not holds:
            raise UnsupportedOp(f"{self.described()}: {constraint}")


def _first(value: Any) -> torch.Tensor:
    """A tensor, or the first of several."""
    found: torch.Tensor = value if isinstance(value, torch.Tensor) else next(x for x in value if x is not None)
    return found


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """As NumPy and ONNX call it."""
    return np.dtype(str(dtype).removeprefix("torch."))


def onnx_type(dtype: torch.dtype) -> int:
    """ONNX's number of a dtype, as Cast has it."""
    return helper.np_dtype_to_tensor_dtype(numpy_dtype(dtype))


def rule(*targets: Any) -> Callable[[Rule], Rule]:
    """Register the rule of these ATen operations."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(targets, function))
        return function

    return register


@rule(aten.mm.default)
def _mm(g: Lowering, a: str, b: str) -> str:
    return g.op("MatMul", a, b)


@rule(aten.addmm.default)
@exercise("1.1")
def addmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    """A B + C, as two nodes."""
    g.require(beta == 1 and alpha == 1, tr("only beta = alpha = 1 is supported"))
    return g.op("Add", g.op("MatMul", a, b, part="matmul"), c)


@rule(aten.relu.default, aten.relu_.default)
def _relu(g: Lowering, x: str) -> str:
    return g.op("Relu", x)


@rule(aten.threshold_backward.default)
def _threshold_backward(g: Lowering, grad: str, x: str, threshold: Scalar) -> str:
    g.require(threshold == 0, tr("only the gradient of ReLU (threshold 0) is supported"))
    positive = g.op("Greater", x, g.builder.scalar(0), part="positive")
    return g.op("Mul", grad, g.op("Cast", positive, part="mask", to=1))


@rule(aten._log_softmax.default)
def _log_softmax(g: Lowering, x: str, dim: int, half_to_float: bool) -> str:
    return g.op("LogSoftmax", x, axis=dim % len(g.shapes[x]))


@rule(aten._log_softmax_backward_data.default)
def _log_softmax_backward(g: Lowering, grad: str, log_p: str, dim: int, dtype: torch.dtype) -> str:
    if len(g.shapes[log_p]) == 2 and dim in (1, -1):
        return g.op("LogSoftmaxGrad", grad, log_p)
    total = g.op("ReduceSum", grad, g.ints([dim], "axes"), part="sum", keepdims=1)
    return g.op("Sub", grad, g.op("Mul", g.op("Exp", log_p, part="p"), total, part="share"))


_REDUCTIONS = {1: "mean", 2: "sum"}


@rule(aten.nll_loss_forward.default)
def _nll_loss(
    g: Lowering, log_p: str, labels: str, weight: str | None, reduction: int, ignore_index: int
) -> tuple[str, str]:
    g.require(weight is None, tr("class weights are not supported"))
    g.require(reduction in _REDUCTIONS, tr("the loss must be reduced to one number (reduction='mean' or 'sum')"))
    g.require(ignore_index < 0, tr("ignore_index must stay outside the classes (the default -100)"))
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
