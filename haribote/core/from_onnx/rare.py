"""What is rare: casts to a type that is there already, constants, averages of several values.

Bernoulli(p)     ->  1 where a random number is below p
CastLike(x, y)   ->  Cast to the type of y, or x itself
Dropout(x)       ->  x, and truths as its mask
EyeLike(x)       ->  a constant
"""

from __future__ import annotations

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("Cast", "CastLike")
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


@rule("Bernoulli")
def bernoulli(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Bernoulli: 1 with probability p. ONNX's own body of it compares the other way round and gives 1 - p."""
    p, result = node.input[0], node.output[0]
    seed = attributes(node).get("seed")
    chance = builder.op("RandomUniformLike", p, name=f"{result}.chance", **({} if seed is None else {"seed": seed}))
    below = builder.op("Less", chance, p, name=f"{result}.below")
    to = onnx.helper.np_dtype_to_tensor_dtype(index.dtype[result])
    builder.op("Cast", below, name=result, reserved=True, to=to)
    return True


@rule("EyeLike")
def eye(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """EyeLike: a constant."""
    rows, columns = index.shape[node.output[0]]
    ones = np.eye(rows, columns, attributes(node).get("k", 0), index.dtype[node.output[0]])
    builder.op("Identity", builder.constant(ones, f"{node.output[0]}.ones"), name=node.output[0], reserved=True)
    return True


@rule("Dropout")
def dropout(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Dropout where it drops nothing; False where it trains."""
    training = node.input[2] if len(node.input) > 2 else ""
    if training and index.constants.get(training, np.array(True)).any():
        return False
    for number, name in enumerate(name for name in node.output if name):
        kept = builder.constant(np.ones(index.shape[name], np.bool_), f"{name}.kept") if number else node.input[0]
        builder.op("Identity", kept, name=name, reserved=True)
    return True


@rule("Mean")
def mean_of(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Mean of several values: their sum over their number."""
    result = node.output[0]
    total = builder.op("Sum", *node.input, name=f"{result}.sum")
    builder.op("Div", total, builder.scalar(len(node.input), index.dtype[result]), name=result, reserved=True)
    return True
