"""Rules for what is rare: casts to a type that is there already, padding by what is computed, OneHot of any form.

CastLike(x, y)   ->  Cast to the type of y, or x itself
Dropout(x)       ->  x, and truths as its mask
EyeLike(x)       ->  a constant
Pad(x, computed) ->  Where(inside, x among zeros, computed)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import numbers_of, pick
from haribote.stack.elementary.rules import Rule, wrapped_index


def cast(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Cast and CastLike; False for a Cast that changes something."""
    x, result = node.input[0], node.output[0]
    if index.dtype[x] == index.dtype[result]:
        builder.op("Identity", x, name=result, reserved=True)
        return True
    if node.op_type == "Cast":
        return False
    builder.op("Cast", x, name=result, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(index.dtype[result]))
    return True


def eye(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """EyeLike: a constant."""
    rows, columns = index.shape[node.output[0]]
    ones = np.eye(rows, columns, attributes(node).get("k", 0), index.dtype[node.output[0]])
    builder.op("Identity", builder.constant(ones, f"{node.output[0]}.ones"), name=node.output[0], reserved=True)
    return True


def dropout(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Dropout where it drops nothing; False where it trains."""
    training = node.input[2] if len(node.input) > 2 else ""
    if training and index.constants.get(training, np.array(True)).any():
        return False
    for number, name in enumerate(name for name in node.output if name):
        kept = builder.constant(np.ones(index.shape[name], np.bool_), f"{name}.kept") if number else node.input[0]
        builder.op("Identity", kept, name=name, reserved=True)
    return True


def pad(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Pad with a value that is computed: chosen where the padding is."""
    if len(node.input) < 3 or not node.input[2] or node.input[2] in index.constants:
        return False
    x, result = node.input[0], node.output[0]
    numbers = numbers_of(node, index)
    name = builder.fresh(f"{result}.inner")
    pick(builder, x, numbers, name)
    there = builder.constant(numbers >= 0, f"{result}.there")
    builder.op("Where", there, name, node.input[2], name=result, reserved=True)
    return True


def one_hot(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
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


MORE: Mapping[str, Rule] = {
    "Cast": cast,
    "CastLike": cast,
    "Dropout": dropout,
    "EyeLike": eye,
    "OneHot": one_hot,
    "Pad": pad,
}
