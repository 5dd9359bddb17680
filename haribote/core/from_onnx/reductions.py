"""Reductions that are others with something before or after them.

ReduceMean(x)        ->  ReduceSum(x) * 1/n, of integers / n
ReduceLogSumExp(x)   ->  log(ReduceSum(exp(x - m))) + m with m = ReduceMax(x)
ReduceMax(truths)    ->  of 0 and 1
ReduceProd(x)        ->  halves multiplied, again and again
Hardmax(x)           ->  1 where ArgMax(x) is the own number
ArgMax(x)            ->  the least number where x equals its maximum
Reduce…(x) of no axes, where that is to mean none of them  ->  Identity(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter
from haribote.graph import Index, attributes


def axes_of(index: Index, node: onnx.NodeProto) -> list[int] | None:
    """The axes that a node reduces, ascending; None where they are computed."""
    rank, given = len(index.shape[node.input[0]]), attributes(node)
    axes = given.get("axes")
    if len(node.input) > 1 and node.input[1]:
        if node.input[1] not in index.constants:
            return None
        axes = index.constants[node.input[1]]
    if axes is None or len(axes) == 0:
        return [] if given.get("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(int(axis) % rank for axis in axes)


@rule("ReduceSum")
def nothing(g: Rewriter) -> str | bool:
    """A reduction over no axis; False for others."""
    return axes_of(g.index, g.node) == [] and g.op("Identity", g.node.input[0])


@rule("ReduceMax", "ReduceMin")
def extreme(g: Rewriter) -> str | bool:
    """ReduceMax and ReduceMin over no axis, or of truths, which are 0 and 1; False for others."""
    x, axes = g.node.input[0], axes_of(g.index, g.node)
    if g.dtypes[x] != np.bool_ or not axes:
        return nothing(g)
    numbers, keepdims = g.cast(x, np.int32, part="numbers"), g.given.get("keepdims", 1)
    return g.cast(g.reduced(g.node.op_type, numbers, axes, part="number", keepdims=keepdims), np.bool_)


@rule("ReduceMean")
def mean(g: Rewriter) -> str | bool:
    """A sum times 1/n; of integers, over n."""
    x, axes = g.node.input[0], axes_of(g.index, g.node)
    if not axes:
        return nothing(g)
    count = prod(g.shapes[x][axis] for axis in axes)
    total = g.reduced("ReduceSum", x, axes, part="sum", keepdims=g.given.get("keepdims", 1))
    return g.op("Mul", total, g.number(1 / count, x)) if g.is_float(x) else g.op("Div", total, g.number(count, x))


@rule("ReduceLogSumExp")
def log_sum_exp(g: Rewriter) -> str | bool:
    """With the largest element taken off first; of itself that leaves 0, even if it is infinite."""
    x, axes = g.node.input[0], axes_of(g.index, g.node)
    if not axes:
        return nothing(g)
    most = g.reduced("ReduceMax", x, axes, part="most", keepdims=1)
    largest, apart = g.op("Equal", x, most, part="largest"), g.op("Sub", x, most, part="apart")
    less = g.op("Where", largest, g.number(0, x), apart, part="less")
    total = g.reduced("ReduceSum", g.op("Exp", less, part="exp"), axes, part="sum", keepdims=1)
    log = g.op("Log", total, part="log")
    if g.given.get("keepdims", 1):
        return g.op("Add", log, most)
    return g.op("Squeeze", g.op("Add", log, most, part="kept"), g.ints(axes, "axes"))


@rule("ReduceProd")
def product(g: Rewriter) -> str | bool:
    """ReduceProd over axes that are known."""
    x, axes = g.node.input[0], axes_of(g.index, g.node)
    return multiplied(g, x, g.shapes[x], axes, g.shapes[g.result]) if axes else nothing(g)


def multiplied(
    g: Rewriter, x: str, shape: Sequence[int], axes: Sequence[int], target: Sequence[int], name: str = ""
) -> str:
    """The products along axes of a value of a shape, as a value of the shape `target`."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    numbers = np.arange(prod(shape)).reshape(shape).transpose(*kept, *axes).reshape(*(shape[k] for k in kept), -1)
    while numbers.shape[-1] > 1:
        half = -(-numbers.shape[-1] // 2)
        second = np.full((*numbers.shape[:-1], half), -1)
        second[..., : numbers.shape[-1] - half] = numbers[..., half:]
        first = g.pick(x, np.ascontiguousarray(numbers[..., :half]), part=f"first{half}", fill=1.0)
        x = g.op("Mul", first, g.pick(x, second, part=f"second{half}", fill=1.0), part=f"half{half}")
        numbers = np.arange(second.size).reshape(second.shape)
    return g.shaped(x, target, name=name)


@rule("ArgMax", "ArgMin")
def arg(g: Rewriter) -> str | bool:
    """ArgMax and ArgMin: the least number (or with select_last_index the largest) of an element that is the extreme.

    Numbers are floats until the end, since the tree of the chip finds extremes of floats on the way, not of integers;
    axes of more than 2^24 elements, where floats are not exact, do not fit the chip.
    """
    x, last = g.node.input[0], bool(g.given.get("select_last_index", 0))
    axis = g.given.get("axis", 0) % len(g.shapes[x])
    extreme = "ReduceMax" if g.node.op_type == "ArgMax" else "ReduceMin"
    most = g.reduced(extreme, x, [axis], part="extreme", keepdims=1)
    numbers = g.numbers(g.shapes[x][axis], axis, len(g.shapes[x]), np.float32)
    other = g.number(-1.0 if last else float(g.shapes[x][axis]))
    places = g.op("Where", g.op("Equal", x, most, part="equal"), numbers, other, part="places")
    kept = g.given.get("keepdims", 1)
    found = g.reduced("ReduceMax" if last else "ReduceMin", places, [axis], part="number", keepdims=kept)
    return g.cast(found, np.int64)


@rule("Hardmax")
def hardmax(g: Rewriter) -> str | bool:
    """Hardmax: 1 at the first largest element along an axis, else 0."""
    x = g.node.input[0]
    axis = g.given.get("axis", -1) % len(g.shapes[x])
    first = g.op("ArgMax", x, part="first", axis=axis, keepdims=1)
    numbers = g.numbers(g.shapes[x][axis], axis, len(g.shapes[x]), np.int64)
    return g.cast(g.op("Equal", first, numbers, part="equal"), g.dtypes[g.result])
