"""Normalization of channels, by averages that are given or those of the image itself."""

from __future__ import annotations

from collections.abc import Sequence

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
        _in_training(builder, index, node)
        return True
    epsilon = builder.scalar(given.get("epsilon", 1e-5), index.dtype[variance])
    deviation = builder.op(
        "Sqrt", builder.op("Add", variance, epsilon, name=f"{result}.shifted"), name=f"{result}.root"
    )
    factor = builder.op("Div", scale, deviation, name=f"{result}.factor")
    rest = builder.op("Sub", bias, builder.op("Mul", average, factor, name=f"{result}.mean"), name=f"{result}.rest")
    axes = builder.constant(np.arange(1, rank - 1), f"axes_1_{rank - 1}")
    wide = [builder.op("Unsqueeze", part, axes, name=f"{part}.wide") for part in (factor, rest)]
    builder.op("Add", builder.op("Mul", x, wide[0], name=f"{result}.scaled"), wide[1], name=result, reserved=True)
    return True


def _in_training(builder: Builder, index: Index, node: onnx.NodeProto) -> None:
    """BatchNormalization by the mean and variance of the batch, and their running averages."""
    x, scale, bias, *running = node.input
    given, result, rank = attributes(node), node.output[0], len(index.shape[x])
    axes = [axis for axis in range(rank) if axis != 1]
    mean = _mean(builder, x, axes, f"{result}.mean")
    rest = builder.op("Sub", x, mean, name=f"{result}.rest")
    variance = _mean(builder, builder.op("Mul", rest, rest, name=f"{result}.squares"), axes, f"{result}.variance")
    epsilon = builder.scalar(given.get("epsilon", 1e-5), index.dtype[x])
    root = builder.op("Sqrt", builder.op("Add", variance, epsilon, name=f"{result}.shifted"), name=f"{result}.root")
    normal = builder.op("Div", rest, root, name=f"{result}.normal")
    behind = builder.constant(np.arange(1, rank - 1), f"axes_1_{rank - 1}")
    factor, addend = (builder.op("Unsqueeze", part, behind, name=f"{part}.wide") for part in (scale, bias))
    scaled = builder.op("Mul", normal, factor, name=f"{result}.scaled")
    builder.op("Add", scaled, addend, name=result, reserved=True)
    momentum = given.get("momentum", 0.9)
    sizes = builder.constant(np.array([-1], np.int64), "shape_-1")
    for before, now, name in zip(running, (mean, variance), node.output[1:], strict=False):
        if name:
            old = builder.op("Mul", before, builder.scalar(momentum, index.dtype[before]), name=f"{name}.old")
            flat = builder.op("Reshape", now, sizes, name=f"{name}.now")
            new = builder.op("Mul", flat, builder.scalar(1 - momentum, index.dtype[before]), name=f"{name}.new")
            builder.op("Add", old, new, name=name, reserved=True)


def _mean(builder: Builder, x: str, axes: Sequence[int], name: str) -> str:
    numbers = builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")
    return builder.op("ReduceMean", x, numbers, name=name, keepdims=1)


@rule("LpNormalization")
def by_norm(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """LpNormalization: over the norm along an axis; 0 where that is 0."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    axes = builder.constant(np.array([given.get("axis", -1)], np.int64), f"axes_{given.get('axis', -1)}")
    norm = builder.op(f"ReduceL{given.get('p', 2)}", x, axes, name=f"{result}.norm", keepdims=1)
    zero, one = (builder.scalar(number, index.dtype[x]) for number in (0, 1))
    nothing = builder.op("Equal", norm, zero, name=f"{result}.nothing")
    over = builder.op("Where", nothing, one, norm, name=f"{result}.over")
    builder.op("Div", x, over, name=result, reserved=True)
    return True


@rule("LRN")
def by_neighbours(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """LRN: over a power of the sum of the squares in the channels around."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    shape, dtype, size = index.shape[x], index.dtype[x], given["size"]
    numbers = np.arange(shape[1])
    apart = numbers[None, :] - numbers[:, None]
    band = (apart >= -((size - 1) // 2)) & (apart <= size // 2)
    letters = "nabcdefg"[: len(shape)]
    squares = builder.op("Mul", x, x, name=f"{result}.squares")
    matrix = builder.constant(band.astype(dtype), f"{result}.band")
    equation = f"{letters},za->{letters.replace('a', 'z')}"
    total = builder.op("Einsum", squares, matrix, name=f"{result}.sum", equation=equation)
    part = builder.op("Mul", total, builder.scalar(given.get("alpha", 1e-4) / size, dtype), name=f"{result}.part")
    base = builder.op("Add", part, builder.scalar(given.get("bias", 1.0), dtype), name=f"{result}.base")
    power = builder.op("Pow", base, builder.scalar(given.get("beta", 0.75), dtype), name=f"{result}.power")
    builder.op("Div", x, power, name=result, reserved=True)
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
