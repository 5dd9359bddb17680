"""Normalization of channels, by averages that are given or those of the image itself."""

from __future__ import annotations

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("BatchNormalization")
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


@rule("InstanceNormalization")
def instance_norm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """InstanceNormalization: each image's channels without their own mean, over their own deviation."""
    x, result = node.input[0], node.output[0]
    rank, dtype = len(index.shape[x]), index.dtype[x]
    axes = builder.constant(np.arange(2, rank), f"axes_2_{rank}")
    mean = builder.op("ReduceMean", x, axes, name=f"{result}.mean", keepdims=1)
    rest = builder.op("Sub", x, mean, name=f"{result}.rest")
    squares = builder.op("Mul", rest, rest, name=f"{result}.squares")
    variance = builder.op("ReduceMean", squares, axes, name=f"{result}.variance", keepdims=1)
    epsilon = builder.scalar(attributes(node).get("epsilon", 1e-5), dtype)
    root = builder.op("Sqrt", builder.op("Add", variance, epsilon, name=f"{result}.shifted"), name=f"{result}.root")
    behind = builder.constant(np.arange(1, rank - 1), f"axes_1_{rank - 1}")
    scale, bias = (
        builder.op("Unsqueeze", name, behind, name=f"{result}.{part}")
        for name, part in zip(node.input[1:], ("scale", "bias"), strict=True)
    )
    normal = builder.op("Div", rest, root, name=f"{result}.normal")
    scaled = builder.op("Mul", normal, scale, name=f"{result}.scaled")
    builder.op("Add", scaled, bias, name=result, reserved=True)
    return True
