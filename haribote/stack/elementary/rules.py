"""Operators that are combinations of elementary ones.

OneHot(labels)              ->  Cast(Equal(labels as a column, 0 1 2 …))
GatherElements(x, column)   ->  ReduceSum(x * OneHot(column))     of one column
ArgMax(x)                   ->  the least number where x equals its maximum
CumSum(x)                   ->  a product with a triangle of ones
Gemm with alpha, beta, C    ->  Gemm, Mul, Add
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes, has_labels
from haribote.stack.elementary.indexing import pick

Rule = Callable[[Builder, Index, onnx.NodeProto], bool]
"""Writes a node in elementary operators; False where it does not apply."""


def one_hot(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Ones and zeros along a new last axis."""
    name = node.output[0]
    shape, values = index.shape[name], index.constants.get(node.input[2])
    last = attributes(node).get("axis", -1) in (-1, len(shape) - 1)
    if values is None or list(values) != [0, 1] or not last:
        return False
    _compared(builder, index, _counted(builder, index, node, node.input[0], shape[-1]), name, shape, index.dtype[name])
    return True


def _counted(builder: Builder, index: Index, node: onnx.NodeProto, indices: str, size: int) -> str:
    """Indices, those that count from the end of an axis made positive where there may be some."""
    if has_labels(node) or not np.issubdtype(index.dtype[indices], np.signedinteger):
        return indices
    return wrapped_index(builder, index, indices, size, f"{node.output[0]}.rows")


def wrapped_index(builder: Builder, index: Index, rows: str, count: int, name: str) -> str:
    """Indices along an axis, those that count from its end made positive."""
    dtype, shape = index.dtype[rows], index.shape[rows]
    negative = builder.op("Less", rows, builder.scalar(0, dtype), name=f"{name}.negative")
    from_end = builder.op("Add", rows, builder.scalar(count, dtype), name=f"{name}.from_end")
    result = builder.op("Where", negative, from_end, rows, name=name)
    index.dtype[result], index.shape[result] = dtype, shape
    return result


def _compared(
    builder: Builder, index: Index, labels: str, name: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> None:
    """1 where a column's number is the row's label, else 0."""
    column = labels
    if index.shape[labels] != (*shape[:-1], 1):
        axes = builder.constant(np.array([len(shape) - 1], np.int64), f"axes_{len(shape) - 1}")
        column = builder.op("Unsqueeze", labels, axes, name=f"{name}.labels")
    equal = builder.op("Equal", column, _numbers(builder, index.dtype[labels], shape[-1]), name=f"{name}.equal")
    builder.op("Cast", equal, name=name, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(dtype))


def _numbers(builder: Builder, dtype: np.dtype[np.generic], count: int) -> str:
    """0, 1, 2, … as a constant."""
    return builder.constant(np.arange(count, dtype=dtype), f"numbers_{count}")


def pick_column(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """One element of every row, [n, 1], as a sum over the row in which the others are 0."""
    x, column, result = node.input[0], node.input[1], node.output[0]
    shape, asked = index.shape[x], index.shape[column]
    if (
        len(shape) != 2
        or index.dtype[x] == np.bool_
        or attributes(node).get("axis", 0) not in (1, -1)
        or asked != (shape[0], 1)
    ):
        return False
    onehot = builder.fresh(f"{result}.onehot")
    _compared(builder, index, _counted(builder, index, node, column, shape[1]), onehot, shape, index.dtype[x])
    chosen = builder.op("Mul", x, onehot, name=f"{result}.chosen")
    axes = builder.constant(np.array([1], np.int64), "axes_1")
    builder.op("ReduceSum", chosen, axes, name=result, reserved=True, keepdims=1)
    return True


def global_mean(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GlobalAveragePool, as a mean."""
    axes = builder.constant(np.arange(2, len(index.shape[node.input[0]])), f"{node.output[0]}.axes")
    total = builder.op("ReduceSum", node.input[0], axes, name=f"{node.output[0]}.sum", keepdims=1)
    count = prod(index.shape[node.input[0]][2:])
    builder.op("Mul", total, builder.scalar(1 / count, index.dtype[node.input[0]]), name=node.output[0], reserved=True)
    return True


def global_max(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GlobalMaxPool, as a maximum."""
    axes = builder.constant(np.arange(2, len(index.shape[node.input[0]])), f"{node.output[0]}.axes")
    builder.op("ReduceMax", node.input[0], axes, name=node.output[0], reserved=True, keepdims=1)
    return True


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


def running_sum(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """CumSum along an axis that is known: a product with a triangle of ones; of integers, sums of sums."""
    x, given = node.input[0], attributes(node)
    if node.input[1] not in index.constants:
        return False
    rank = len(index.shape[x])
    axis = int(index.constants[node.input[1]].item()) % rank
    if index.dtype[x] != np.float32:
        _doubled(builder, index, node, axis)
        return True
    size = index.shape[x][axis]
    ones = np.tri(size, k=-1 if given.get("exclusive", 0) else 0, dtype=np.float32)
    if given.get("reverse", 0):
        ones = np.ascontiguousarray(ones.T)
    letters = "abcdefgh"[:rank]
    after = letters.replace(letters[axis], "z")
    triangle = builder.constant(ones, f"{node.output[0]}.triangle")
    equation = f"{letters},z{letters[axis]}->{after}"
    builder.op("Einsum", x, triangle, name=node.output[0], reserved=True, equation=equation)
    return True


def _doubled(builder: Builder, index: Index, node: onnx.NodeProto, axis: int) -> None:
    """Every element plus the one 1 before it, then 2, 4, … before it: there are no products of integers."""
    value, given, result = node.input[0], attributes(node), node.output[0]
    shape = index.shape[value]

    def before(name: str, distance: int) -> str:
        along = np.arange(shape[axis]) + (distance if given.get("reverse", 0) else -distance)
        places = np.arange(prod(shape)).reshape(shape).take(along, axis, mode="clip")
        there = ((along >= 0) & (along < shape[axis])).reshape([-1 if k == axis else 1 for k in range(len(shape))])
        found = builder.fresh(f"{result}.before_{distance}")
        pick(builder, name, np.where(there, places, -1), found)
        return found

    if given.get("exclusive", 0):
        value = before(value, 1)
    distance = 1
    while distance < shape[axis]:
        value = builder.op("Add", value, before(value, distance), name=f"{result}.sum_{distance}")
        distance *= 2
    builder.op("Identity", value, name=result, reserved=True)


def gemm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Gemm with a factor or an addend as several nodes."""
    given, result = attributes(node), node.output[0]
    alpha, beta = given.pop("alpha", 1.0), given.pop("beta", 1.0)
    addend = node.input[2] if len(node.input) > 2 and node.input[2] else ""
    if alpha == 1.0 and not addend:
        return False
    steps: list[tuple[str, float | str]] = [("Mul", alpha)] if alpha != 1.0 else []
    if addend and beta != 1.0:
        addend = builder.op("Mul", addend, builder.scalar(beta), name=f"{result}.beta")
    steps += [("Add", addend)] if addend else []
    found = builder.op("Gemm", *node.input[:2], name=f"{result}.product", **given)
    for number, (op_type, other) in enumerate(steps):
        operand = other if isinstance(other, str) else builder.scalar(other)
        last = number == len(steps) - 1
        found = builder.op(op_type, found, operand, name=result if last else f"{result}.scaled", reserved=last)
    return True


def mat_mul(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul of operands of any rank, as Einsum; axes of size 1 that are broadcast are left out."""
    a, b = (index.shape[name] for name in node.input)
    if len(a) == len(b) == 2:
        return False
    if 1 in (len(a), len(b)) or any(x != y and 1 in (x, y) for x, y in zip(a[-3::-1], b[-3::-1], strict=False)):
        return _einsum_squeezed(builder, index, node)
    batch = "abcdefgh"[: max(len(a), len(b)) - 2]
    own = [batch[len(batch) - (len(shape) - 2) :] for shape in (a, b)]
    equation = f"{own[0]}nk,{own[1]}km->{batch}nm"
    builder.op("Einsum", *node.input, name=node.output[0], reserved=True, equation=equation)
    return True


def _einsum_squeezed(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMul with vectors, or with batch axes of size 1 that the other operand broadcasts."""
    shapes = [index.shape[name] for name in node.input]
    rank = max(len(shape) - 2 for shape in shapes)
    batch = "abcdefgh"[: max(rank, 0)]
    letters, operands = [], []
    for number, (name, shape) in enumerate(zip(node.input, shapes, strict=True)):
        inner = "k" if len(shape) == 1 else ("nk", "km")[number]
        own = batch[len(batch) - max(len(shape) - 2, 0) :]
        gone = [axis for axis in range(len(own)) if shape[axis] == 1]
        if gone:
            shape_of = builder.constant(np.array(gone, np.int64), f"{node.output[0]}.axes{number}")
            name = builder.op("Squeeze", name, shape_of, name=f"{node.output[0]}.operand{number}")
        letters.append("".join(letter for axis, letter in enumerate(own) if axis not in gone) + inner)
        operands.append(name)
    free = ("n" if len(shapes[0]) > 1 else "") + ("m" if len(shapes[1]) > 1 else "")
    there = [letter for letter in batch if any(letter in side for side in letters)]
    found = f"{letters[0]},{letters[1]}->{''.join(there)}{free}"
    if len(there) == len(batch):
        builder.op("Einsum", *operands, name=node.output[0], reserved=True, equation=found)
        return True
    part = builder.op("Einsum", *operands, name=f"{node.output[0]}.product", equation=found)
    axes = np.array([axis for axis, letter in enumerate(batch) if letter not in there], np.int64)
    builder.op("Unsqueeze", part, builder.constant(axes, f"{node.output[0]}.axes"), name=node.output[0], reserved=True)
    return True


def batch_norm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """BatchNormalization at inference: a factor and an addend for every channel."""
    x, scale, bias, average, variance = node.input
    given, result, rank = attributes(node), node.output[0], len(index.shape[node.input[0]])
    if given.get("training_mode", 0):
        return False
    epsilon = builder.scalar(given.get("epsilon", 1e-5))
    deviation = builder.op(
        "Sqrt", builder.op("Add", variance, epsilon, name=f"{result}.shifted"), name=f"{result}.root"
    )
    factor = builder.op("Div", scale, deviation, name=f"{result}.factor")
    rest = builder.op("Sub", bias, builder.op("Mul", average, factor, name=f"{result}.mean"), name=f"{result}.rest")
    axes = builder.constant(np.arange(1, rank - 1), f"axes_1_{rank - 1}")
    wide = [builder.op("Unsqueeze", part, axes, name=f"{part}.wide") for part in (factor, rest)]
    builder.op("Add", builder.op("Mul", x, wide[0], name=f"{result}.scaled"), wide[1], name=result, reserved=True)
    return True


RULES: Mapping[str, Rule] = {
    "BatchNormalization": batch_norm,
    "ArgMax": arg,
    "ArgMin": arg,
    "CumSum": running_sum,
    "GatherElements": pick_column,
    "Gemm": gemm,
    "GlobalAveragePool": global_mean,
    "GlobalMaxPool": global_max,
    "MatMul": mat_mul,
    "OneHot": one_hot,
}
