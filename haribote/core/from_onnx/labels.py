"""Numbers of classes and places, compared with 0, 1, 2, …

OneHot(labels)              ->  Cast(Equal(labels as a column, 0 1 2 …))
"""

from __future__ import annotations

import numpy as np
import onnx

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes, has_labels, mark_labels


def wrapped_index(builder: Builder, index: Index, rows: str, count: int, name: str) -> str:
    """Indices along an axis, those that count from its end made positive."""
    dtype, shape = index.dtype[rows], index.shape[rows]
    negative = builder.op("Less", rows, builder.scalar(0, dtype), name=f"{name}.negative")
    from_end = builder.op("Add", rows, builder.scalar(count, dtype), name=f"{name}.from_end")
    result = builder.op("Where", negative, from_end, rows, name=name)
    index.dtype[result], index.shape[result] = dtype, shape
    return result


def _counted(builder: Builder, index: Index, node: onnx.NodeProto, indices: str, size: int) -> str:
    """Indices, those that count from the end of an axis made positive where there may be some."""
    if has_labels(node) or not np.issubdtype(index.dtype[indices], np.signedinteger):
        return indices
    return wrapped_index(builder, index, indices, size, f"{node.output[0]}.rows")


def _compared(
    builder: Builder, index: Index, labels: str, name: str, shape: tuple[int, ...], dtype: np.dtype[np.generic]
) -> None:
    """1 where a column's number is the row's label, else 0."""
    column = labels
    if index.shape[labels] != (*shape[:-1], 1):
        axes = builder.constant(np.array([len(shape) - 1], np.int64), f"axes_{len(shape) - 1}")
        column = builder.op("Unsqueeze", labels, axes, name=f"{name}.labels")
    equal = builder.op("Equal", column, _numbers(builder, index.dtype[labels], shape[-1]), name=f"{name}.equal")
    mark_labels(builder.model.graph.node[-1])  # no label, nor an index made positive, is the least integer
    builder.op("Cast", equal, name=name, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(dtype))


def _numbers(builder: Builder, dtype: np.dtype[np.generic], count: int) -> str:
    """0, 1, 2, … as a constant."""
    return builder.constant(np.arange(count, dtype=dtype), f"numbers_{count}")


@rule("OneHot")
def one_hot(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """OneHot; of ones and zeros without a choice between two values."""
    return _ones_and_zeros(builder, index, node) or _any_values(builder, index, node)


def _ones_and_zeros(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Ones and zeros along a new last axis."""
    name = node.output[0]
    shape, values = index.shape[name], index.constants.get(node.input[2])
    last = attributes(node).get("axis", -1) in (-1, len(shape) - 1)
    if values is None or list(values) != [0, 1] or not last:
        return False
    _compared(builder, index, _counted(builder, index, node, node.input[0], shape[-1]), name, shape, index.dtype[name])
    return True


def _any_values(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """OneHot along any axis, of any two values."""
    (labels, _, values), result = node.input, node.output[0]
    shape, dtype = index.shape[result], index.dtype[labels]
    axis = attributes(node).get("axis", -1) % len(shape)
    numbers = np.arange(shape[axis], dtype=dtype).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    column = builder.op(
        "Unsqueeze", wrapped_index(builder, index, labels, shape[axis], f"{result}.labels"),
        builder.constant(np.array([axis], np.int64), f"axes_{axis}"), name=f"{result}.column",
    )  # fmt: skip
    equal = builder.op("Equal", column, builder.constant(numbers, f"{result}.numbers"), name=f"{result}.equal")
    ends = [builder.fresh(f"{result}.{part}") for part in ("off", "on")]
    for number, name in enumerate(ends):
        pick(builder, values, np.array(number, np.int64), name)
    builder.op("Where", equal, ends[1], ends[0], name=result, reserved=True)
    return True


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
