"""The lowering rules of reductions; see `haribote.frontend.aten`."""

from __future__ import annotations

from math import prod

import numpy as np
import torch

from haribote.answers.ownership import exercise
from haribote.frontend.aten import Lowering, Scalar, aten, onnx_type, rule
from simulator.messages import tr

Dims = int | list[int] | None
NARROW = (torch.int16, torch.int8, torch.uint8, torch.bool)
"""Types of which ONNX has no maxima."""


def _reduce(g: Lowering, op_type: str, x: str, dims: Dims, keepdim: bool, part: str = "") -> str:
    """A reduction over these axes, all of them where torch names none; a number is itself."""
    rank = len(g.shapes[x])
    axes = [g.ints(g.axes(dims, rank), "axes")] if rank else []
    return g.op(op_type, x, *axes, part=part, keepdims=int(keepdim))


def _count(g: Lowering, x: str, dims: Dims) -> int:
    """The elements that one element of the result is made of."""
    shape = g.shapes[x]
    return prod(shape[axis] for axis in g.axes(dims, len(shape))) if shape else 1


@rule(
    aten.sum.dim_IntList,
    aten.sum.default,
    aten.mean.dim,
    aten.mean.default,
    aten.prod.dim_int,
    aten.prod.default,
)
def _total(g: Lowering, x: str, dims: Dims = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> str:
    return _reduce(g, f"Reduce{g.operation.capitalize()}", g.value(x), dims, keepdim)


def _which(g: Lowering) -> str:
    """Which extreme the operation at hand is of, as ONNX names it."""
    return "Max" if "max" in g.operation else "Min"


@rule(aten.amax.default, aten.max.default, aten.amin.default, aten.min.default)
def _extreme(g: Lowering, x: str, dims: Dims = None, keepdim: bool = False) -> str:
    """The largest or the smallest; of narrow integers and bools, which ONNX does not compare, by 32 bits on the way."""
    dtype, op_type = g.types[x], f"Reduce{_which(g)}"
    g.require(_count(g, x, dims) > 0, tr("nothing has no largest element and no smallest"))
    if dtype not in NARROW:
        return _reduce(g, op_type, x, dims, keepdim)
    found = _reduce(g, op_type, g.value(x, torch.int32), dims, keepdim, "wide")
    return g.op("Cast", found, to=onnx_type(dtype))


@rule(aten.max.dim, aten.min.dim, lists=True)
def _with_place(g: Lowering, x: str, dim: int, keepdim: bool = False) -> tuple[str | None, ...]:
    """The extreme and where it is first, those of the two that have a reader."""
    base, wanted = g.result, {int(str(user.args[1])) for user in g.node.users}
    found: list[str | None] = []
    for position, write in enumerate((_extreme, _place)):
        g.result = g.results.get(position, f"{base}.{position}")
        found.append(write(g, x, dim, keepdim) if position in wanted else None)
    return tuple(found)


@rule(aten.argmax.default, aten.argmin.default, lists=True)
def _place(g: Lowering, x: str, dim: int | None = None, keepdim: bool = False) -> str:
    op_type = f"Arg{_which(g)}"
    x = g.value(x, torch.int32) if g.types[x] in NARROW else x
    if dim is not None:
        return g.op(op_type, x, axis=dim % len(g.shapes[x]), keepdims=int(keepdim))
    g.require(not keepdim, tr("keepdim without dim is not supported"))
    flat = g.op("Reshape", x, g.ints([-1], "shape"), part="flat")
    return g.op(op_type, flat, axis=0, keepdims=0)


@rule(aten.any.default, aten.any.dim, aten.any.dims, aten.all.default, aten.all.dim, aten.all.dims)
def _truth(g: Lowering, x: str, dims: Dims = None, keepdim: bool = False) -> str:
    """Any as the largest, all as the smallest of 0 and 1; of nothing, -inf and inf."""
    op_type = "ReduceMax" if g.operation == "any" else "ReduceMin"
    words = g.value(g.value(x, torch.bool), torch.float32)
    return g.op("Greater", _reduce(g, op_type, words, dims, keepdim, "extreme"), g.builder.scalar(0.0))


def _variance(g: Lowering, x: str, dims: Dims, correction: Scalar | None, keepdim: bool, mean: str) -> str:
    """The mean square of the distances from the mean, which is kept along its axes."""
    distance = g.op("Sub", x, mean, part="distance")
    square = g.op("Mul", distance, distance, part="square")
    g.shapes[square] = g.shapes[x]
    total = _reduce(g, "ReduceSum", square, dims, keepdim, "total")
    count = _count(g, x, dims) - (1 if correction is None else correction)
    if count <= 0 and _count(g, x, dims) <= 1:  # 0 / 0
        return g.op("Add", total, g.builder.scalar(np.nan))
    g.require(count > 0, tr("more elements than the correction are needed"))
    return g.op("Mul", total, g.builder.scalar(1 / count))


@rule(aten.var.correction)
def _var(
    g: Lowering, x: str, dims: list[int] | None = None, *, correction: Scalar | None = None, keepdim: bool = False
) -> str:
    return _variance(g, x, dims, correction, keepdim, _reduce(g, "ReduceMean", x, dims, True, "mean"))


@rule(aten.var_mean.correction)
def _var_mean(
    g: Lowering, x: str, dims: list[int] | None = None, *, correction: Scalar | None = None, keepdim: bool = False
) -> tuple[str, str]:
    base = g.result
    mean = _reduce(g, "ReduceMean", x, dims, True, "mean")
    g.result = g.results.get(0, base)
    variance = _variance(g, x, dims, correction, keepdim, mean)
    if keepdim or not g.shapes[x]:
        return variance, mean
    g.result = g.results.get(1, f"{base}.1")
    return variance, g.op("Squeeze", mean, g.ints(g.axes(dims, len(g.shapes[x])), "axes"))


@rule(aten.cumsum.default, lists=True)
def _cumsum(g: Lowering, x: str, dim: int, *, dtype: torch.dtype | None = None) -> str:
    axis = g.builder.constant(np.array(dim % len(g.shapes[x]), np.int64), f"axis_{dim}")
    return g.op("CumSum", g.value(x), axis)


def shifted(g: Lowering, x: str, axis: int, places: int, size: int) -> str:
    """A value with its elements moved on along an axis that has `size` of them; ones come in before the first."""
    name, rank = f"places{places}", len(g.shape)
    ends = [g.ints([number], "number") for number in (0, size - places, axis)]
    kept = g.op("Slice", x, *ends, part=f"{name}.kept")
    pads = [places if at == axis else 0 for at in range(2 * rank)]
    return g.op("Pad", kept, g.ints(pads, "pads"), g.value(1), part=name)


@rule(aten.cumprod.default, lists=True)
@exercise("8.1")
def cumprod(g: Lowering, x: str, dim: int, *, dtype: torch.dtype | None = None) -> str:
    """By doubling: each element times the one before it, then times the one two before it, then four."""
    raise NotImplementedError


@rule(aten._softmax.default, lists=True)
def _softmax(g: Lowering, x: str, dim: int, half_to_float: bool) -> str:
    return g.op("Softmax", x, axis=dim % len(g.shapes[x]))
