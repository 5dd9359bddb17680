"""Normalization of channels, by averages that are given or those of the image itself."""

from __future__ import annotations

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


def _root(g: Rewriter, variance: str, like: str) -> str:
    """The deviation: the root of a variance that is a little larger. like: a value of its type."""
    epsilon = g.number(g.given.get("epsilon", 1e-5), like)
    return g.op("Sqrt", g.op("Add", variance, epsilon, part="shifted"), part="root")


def _per_channel(g: Rewriter, value: str, scale: str, bias: str) -> str:
    """The result: every channel of a value times a scale, plus a bias."""
    behind = range(1, len(g.shapes[g.result]) - 1)
    factor, addend = (g.wide(name, behind, part=part) for name, part in ((scale, "scale"), (bias, "bias")))
    return g.op("Add", g.op("Mul", value, factor, part="scaled"), addend)


@rule("BatchNormalization")
def batch_norm(g: Rewriter) -> str | bool:
    """BatchNormalization at inference: a factor and an addend for every channel."""
    x, scale, bias, average, variance = g.node.input
    if g.given.get("training_mode", 0):
        return _in_training(g)
    factor = g.op("Div", scale, _root(g, variance, variance), part="factor")
    rest = g.op("Sub", bias, g.op("Mul", average, factor, part="mean"), part="rest")
    return _per_channel(g, x, factor, rest)


def _in_training(g: Rewriter) -> str:
    """BatchNormalization by the mean and variance of the batch, and their running averages."""
    x, scale, bias, *running = g.node.input
    normal, mean, variance = _normal(g, [axis for axis in range(len(g.shapes[x])) if axis != 1])
    momentum = g.given.get("momentum", 0.9)
    for before, now, name in zip(running, (mean, variance), g.node.output[1:], strict=False):
        if name:
            old = g.op("Mul", before, g.number(momentum, before), part="old")
            new = g.op("Mul", g.shaped(now, [-1], part="now"), g.number(1 - momentum, before), part="new")
            g.op("Add", old, new, name=name)
    return _per_channel(g, normal, scale, bias)


def _normal(g: Rewriter, axes: list[int]) -> tuple[str, str, str]:
    """The first input without its mean over axes, over its deviation; the mean; the variance."""
    x = g.node.input[0]
    mean = g.reduced("ReduceMean", x, axes, part="mean", keepdims=1)
    rest = g.op("Sub", x, mean, part="rest")
    squares = g.op("Mul", rest, rest, part="squares")
    variance = g.reduced("ReduceMean", squares, axes, part="variance", keepdims=1)
    return g.op("Div", rest, _root(g, variance, x), part="normal"), mean, variance


@rule("LpNormalization")
def by_norm(g: Rewriter) -> str | bool:
    """LpNormalization: over the norm along an axis; 0 where that is 0."""
    x = g.node.input[0]
    norm = g.reduced(f"ReduceL{g.given.get('p', 2)}", x, [g.given.get("axis", -1)], part="norm", keepdims=1)
    nothing = g.op("Equal", norm, g.number(0, x), part="nothing")
    return g.op("Div", x, g.op("Where", nothing, g.number(1, x), norm, part="over"))


@rule("LRN")
def by_neighbours(g: Rewriter) -> str | bool:
    """LRN: over a power of the sum of the squares in the channels around."""
    x, size = g.node.input[0], g.given["size"]
    numbers = np.arange(g.shapes[x][1])
    apart = numbers[None, :] - numbers[:, None]
    band = (apart >= -((size - 1) // 2)) & (apart <= size // 2)
    squares, matrix = g.op("Mul", x, x, part="squares"), g.constant(band.astype(g.dtypes[x]), "band")
    total = g.times(squares, matrix, 1, len(g.shapes[x]), part="sum")
    part = g.op("Mul", total, g.number(g.given.get("alpha", 1e-4) / size, x), part="part")
    base = g.op("Add", part, g.number(g.given.get("bias", 1.0), x), part="base")
    return g.op("Div", x, g.op("Pow", base, g.number(g.given.get("beta", 0.75), x), part="power"))


@rule("InstanceNormalization")
def instance_norm(g: Rewriter) -> str | bool:
    """InstanceNormalization: each image's channels without their own mean, over their own deviation."""
    x, scale, bias = g.node.input
    normal, _, _ = _normal(g, list(range(2, len(g.shapes[x]))))
    return _per_channel(g, normal, scale, bias)
