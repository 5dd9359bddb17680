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

LISTS: set[Any] = set()
"""Overloads that work along an axis: of a number, which has none, they make what they make of a list of it."""

PROFILER = "profiler"
"""Namespace of the operations that torch's optimisers leave in a trace; they compute nothing."""


class Lowering(NodeWriter):
    """What a rule works with: the ONNX graph so far, and the operation being lowered.

    Attributes:
        node: the operation at hand.
        results: where it has several results, the names of those that have one, by position.
        types: the dtypes of the values that a rule may read, as `shapes`.
        listed: whether numbers are read as lists of one, and made as such, see `LISTS`.
    """

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.node: fx.Node
        self.results: dict[int, str] = {}
        self.types: dict[str, torch.dtype] = {}
        self.listed = False

    @property
    def operation(self) -> str:
        """The name of the ATen operation at hand, without its overload."""
        return str(self.node.target.overloadpacket.__name__)  # type: ignore[union-attr]

    @property
    def dtype(self) -> torch.dtype:
        """Of the result; of the first one where there are several."""
        return _first(self.node.meta["val"]).dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result; of the first one where there are several."""
        shape = tuple(_first(self.node.meta["val"]).shape)
        return (1,) if self.listed and not shape else shape

    def apply(self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The rule's result for the operation at hand.

        Raises:
            UnsupportedOp: the rule does not cover these arguments.
        """
        try:
            bound = inspect.signature(rule).bind(self, *args, **kwargs)
        except TypeError as error:
            raise UnsupportedOp(
                tr("{described}: its lowering rule does not cover this: {error}", self.described(), error)
            ) from error
        if self.node.target in LISTS and any(self._is_number(x) for x in bound.arguments.values()):
            return self._of_lists(rule, bound)
        return rule(*bound.args, **bound.kwargs)

    def _is_number(self, x: Any) -> bool:
        return isinstance(x, str) and self.shapes.get(x) == ()

    def _of_lists(self, rule: Rule, bound: inspect.BoundArguments) -> Any:
        """The rule's result for numbers, which are lists of one on the way."""
        name, self.result, self.listed = self.result, f"{self.result}.list", True
        names, self.results = self.results, {}
        for key, x in bound.arguments.items():
            if self._is_number(x):
                bound.arguments[key] = self._reshaped(x, (1,), part=f"{key}.list")
                self.types[bound.arguments[key]] = self.types[x]
        try:
            found = rule(*bound.args, **bound.kwargs)
        finally:
            self.result, self.results, self.listed = name, names, False
        if isinstance(found, str):
            return self._reshaped(found, self.shape)
        made = []
        for number, value in enumerate(found):
            self.result = names.get(number, f"{name}.{number}")
            made.append(value and self._reshaped(value, tuple(self.node.meta["val"][number].shape)))
        return tuple(made)

    def _reshaped(self, x: str, shape: tuple[int, ...], **named: Any) -> str:
        found = self.shaped(x, shape, **named)
        self.shapes[found] = shape
        return found

    def declare(self, name: str, tensor: torch.Tensor) -> str:
        """An input of the graph like a traced tensor; one without elements is a constant."""
        shape, dtype = tuple(tensor.shape), numpy_dtype(tensor.dtype)
        if not tensor.numel():
            return self.builder.constant(np.zeros(shape, dtype), name)
        return self.builder.input(name, shape, dtype)

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
        self.require(fits, tr("integers have 32 bits on the chip, received the constant {x}", x))

    def require(self, holds: bool, constraint: str) -> None:
        """Refuse an operation that is not of the form the rule covers."""
        if not holds:
            raise UnsupportedOp(f"{self.described()}: {constraint}")


def _first(value: Any) -> torch.Tensor:
    """A tensor, or the first of several."""
    found: torch.Tensor = value if isinstance(value, torch.Tensor) else next(x for x in value if x is not None)
    return found


IN_SINGLE = (torch.float16, torch.bfloat16)
"""Types that are computed in single precision, and rounded where a value leaves the device."""


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """In which a type is computed, as NumPy and ONNX call it."""
    return np.dtype("float32" if dtype in IN_SINGLE else str(dtype).removeprefix("torch."))


def onnx_type(dtype: torch.dtype) -> int:
    """ONNX's number of a dtype, as Cast has it."""
    return helper.np_dtype_to_tensor_dtype(numpy_dtype(dtype))


def rule(*targets: Any, lists: bool = False) -> Callable[[Rule], Rule]:
    """Register the rule of these ATen operations. lists: they are of `LISTS`."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(targets, function))
        LISTS.update(targets if lists else ())
        return function

    return register


@rule(aten.mm.default)
def _mm(g: Lowering, a: str, b: str) -> str:
    return g.op("MatMul", a, b)


@rule(aten.addmm.default)
@exercise("1.1")
def addmm(g: Lowering, c: str, a: str, b: str, *, beta: Scalar = 1, alpha: Scalar = 1) -> str:
    """A B + C, as two nodes."""
    raise NotImplementedError


@rule(aten.relu.default, aten.relu_.default)
def _relu(g: Lowering, x: str) -> str:
    return g.op("Relu", x)


@rule(aten.threshold_backward.default)
def _threshold_backward(g: Lowering, grad: str, x: str, threshold: Scalar) -> str:
    positive = g.op("Greater", x, g.builder.scalar(threshold), part="positive")
    return g.op("Mul", grad, g.op("Cast", positive, part="mask", to=1))


@rule(aten._log_softmax.default, lists=True)
def _log_softmax(g: Lowering, x: str, dim: int, half_to_float: bool) -> str:
    return g.op("LogSoftmax", x, axis=dim % len(g.shapes[x]))


@rule(aten._log_softmax_backward_data.default, lists=True)
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
