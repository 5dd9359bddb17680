"""Rules for what is rare: casts to a type that is there already, padding by what is computed.

CastLike(x, y)   ->  Cast to the type of y, or x itself
EyeLike(x)       ->  a constant
Pad(x, computed) ->  Where(inside, x among zeros, computed)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import numbers_of, pick
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


def eye(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """EyeLike: a constant."""
    rows, columns = index.shape[node.output[0]]
    ones = np.eye(rows, columns, attributes(node).get("k", 0), index.dtype[node.output[0]])
    builder.op("Identity", builder.constant(ones, f"{node.output[0]}.ones"), name=node.output[0], reserved=True)
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


MORE: Mapping[str, Rule] = {"Cast": cast, "CastLike": cast, "EyeLike": eye, "Pad": pad}
