"""Rules for what is rare: casts to a type that is there already, products along axes.

CastLike(x, y)   ->  Cast to the type of y, or x itself
ReduceProd(x)    ->  halves multiplied, again and again
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import pick
from haribote.stack.elementary.rules import Rule


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


def product(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ReduceProd over axes that are known."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    shape = index.shape[x]
    axes = list(range(len(shape)))
    if len(node.input) > 1 and node.input[1]:
        if node.input[1] not in index.constants:
            return False
        found = sorted(int(axis) % len(shape) for axis in index.constants[node.input[1]])
        axes = found or ([] if given.get("noop_with_empty_axes", 0) else axes)
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
    sizes = builder.constant(np.array(index.shape[result], np.int64), f"{result}.shape")
    builder.op("Reshape", value, sizes, name=result, reserved=True)
    return True


MORE: Mapping[str, Rule] = {"Cast": cast, "CastLike": cast, "ReduceProd": product}
