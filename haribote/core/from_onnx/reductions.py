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

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


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
def nothing(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """A reduction over no axis; False for others."""
    if axes_of(index, node) != []:
        return False
    builder.op("Identity", node.input[0], name=node.output[0], reserved=True)
    return True


@rule("ReduceMax", "ReduceMin")
def extreme(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ReduceMax and ReduceMin over no axis, or of truths, which are 0 and 1; False for others."""
    x, result, axes = node.input[0], node.output[0], axes_of(index, node)
    if index.dtype[x] != np.bool_ or not axes:
        return nothing(builder, index, node)
    numbers = builder.op("Cast", x, name=f"{result}.numbers", to=onnx.TensorProto.INT32)
    found = reduce(builder, node.op_type, numbers, axes, f"{result}.number", attributes(node).get("keepdims", 1))
    builder.op("Cast", found, name=result, reserved=True, to=onnx.TensorProto.BOOL)
    return True


def reduce(
    builder: Builder, op_type: str, x: str, axes: Sequence[int], name: str, keepdims: int = 0, reserved: bool = False
) -> str:
    """Add a reduction."""
    numbers = builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")
    return builder.op(op_type, x, numbers, name=name, reserved=reserved, keepdims=keepdims)


@rule("ReduceMean")
def mean(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """A sum times 1/n; of integers, over n."""
    x, result, axes = node.input[0], node.output[0], axes_of(index, node)
    if axes is None or nothing(builder, index, node):
        return axes is not None
    dtype, count = index.dtype[x], prod(index.shape[x][axis] for axis in axes)
    keepdims = attributes(node).get("keepdims", 1)
    total = reduce(builder, "ReduceSum", x, axes, f"{result}.sum", keepdims)
    whole = not np.issubdtype(dtype, np.floating)
    builder.op(
        "Div" if whole else "Mul", total, builder.scalar(count if whole else 1 / count, dtype),
        name=result, reserved=True,
    )  # fmt: skip
    return True


@rule("ReduceLogSumExp")
def log_sum_exp(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """With the largest element taken off first; of itself that leaves 0, even if it is infinite."""
    x, result, axes = node.input[0], node.output[0], axes_of(index, node)
    if axes is None or nothing(builder, index, node):
        return axes is not None
    keepdims = attributes(node).get("keepdims", 1)
    most = reduce(builder, "ReduceMax", x, axes, f"{result}.most", 1)
    largest = builder.op("Equal", x, most, name=f"{result}.largest")
    apart = builder.op("Sub", x, most, name=f"{result}.apart")
    less = builder.op("Where", largest, builder.scalar(0, index.dtype[x]), apart, name=f"{result}.less")
    total = reduce(builder, "ReduceSum", builder.op("Exp", less, name=f"{result}.exp"), axes, f"{result}.sum", 1)
    log = builder.op("Log", total, name=f"{result}.log")
    if keepdims or not axes:
        builder.op("Add", log, most, name=result, reserved=True)
        return True
    found = builder.op("Add", log, most, name=f"{result}.kept")
    numbers = builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")
    builder.op("Squeeze", found, numbers, name=result, reserved=True)
    return True


@rule("ReduceProd")
def product(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ReduceProd over axes that are known."""
    x, result, axes = node.input[0], node.output[0], axes_of(index, node)
    if axes is None or nothing(builder, index, node):
        return axes is not None
    multiplied(builder, x, index.shape[x], axes, index.shape[result], result)
    return True


def multiplied(
    builder: Builder, x: str, shape: Sequence[int], axes: Sequence[int], target: Sequence[int], result: str
) -> None:
    """The products along axes of a value of a shape, as a value of the shape `target`."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    numbers = np.arange(prod(shape)).reshape(shape).transpose(*kept, *axes).reshape(*(shape[k] for k in kept), -1)
    value = x
    while numbers.shape[-1] > 1:
        half = -(-numbers.shape[-1] // 2)
        second = np.full((*numbers.shape[:-1], half), -1)
        second[..., : numbers.shape[-1] - half] = numbers[..., half:]
        names = [builder.fresh(f"{result}.{part}{half}") for part in ("first", "second")]
        pick(builder, value, np.ascontiguousarray(numbers[..., :half]), names[0], 1.0)
        pick(builder, value, second, names[1], 1.0)
        value = builder.op("Mul", *names, name=f"{result}.half{half}")
        numbers = np.arange(second.size).reshape(second.shape)
    sizes = builder.constant(np.array(target, np.int64), f"{result}.shape")
    builder.op("Reshape", value, sizes, name=result, reserved=True)


@rule("ArgMax", "ArgMin")
def arg(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ArgMax and ArgMin: the least number (or with select_last_index the largest) of an element that is the extreme.

    Numbers are floats until the end, since the tree of the chip finds extremes of floats on the way, not of integers;
    axes of more than 2^24 elements, where floats are not exact, do not fit the chip.
    """
    x, result, given = node.input[0], node.output[0], attributes(node)
    shape, axis = index.shape[x], given.get("axis", 0) % len(index.shape[x])
    last = bool(given.get("select_last_index", 0))
    axes = builder.constant(np.array([axis], np.int64), f"axes_{axis}")
    extreme = "ReduceMax" if node.op_type == "ArgMax" else "ReduceMin"
    most = builder.op(extreme, x, axes, name=f"{result}.extreme", keepdims=1)
    equal = builder.op("Equal", x, most, name=f"{result}.equal")
    sizes = [shape[axis] if k == axis else 1 for k in range(len(shape))]
    numbers = builder.constant(np.arange(shape[axis], dtype=np.float32).reshape(sizes), f"{result}.numbers")
    other = builder.scalar(-1.0 if last else float(shape[axis]))
    places = builder.op("Where", equal, numbers, other, name=f"{result}.places")
    kept = given.get("keepdims", 1)
    found = builder.op("ReduceMax" if last else "ReduceMin", places, axes, name=f"{result}.number", keepdims=kept)
    builder.op("Cast", found, name=result, reserved=True, to=onnx.TensorProto.INT64)
    return True


@rule("Hardmax")
def hardmax(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Hardmax: 1 at the first largest element along an axis, else 0."""
    x, result = node.input[0], node.output[0]
    shape, dtype = index.shape[x], index.dtype[result]
    axis = attributes(node).get("axis", -1) % len(shape)
    first = builder.op("ArgMax", x, name=f"{result}.first", axis=axis, keepdims=1)
    sizes = [shape[axis] if k == axis else 1 for k in range(len(shape))]
    numbers = builder.constant(np.arange(shape[axis]).reshape(sizes), f"{result}.numbers")
    equal = builder.op("Equal", first, numbers, name=f"{result}.equal")
    builder.op("Cast", equal, name=result, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(dtype))
    return True
