"""Convolutions as products of windows and weights.

    Conv(x, w)            ->  Einsum(windows of x [n, h, w, k], w [m, k]), where k counts channels and places
    ConvTranspose(x, w)   ->  the same, with windows between whose elements there are zeros

The gradient of a weight is a convolution where batch and channels have changed places. It sees the windows that the
forward convolution sees, so these are picked once, and k is what is left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.core.from_onnx.windows import Along, adjoint_windows_of, columns, windows_of
from haribote.graph import Builder, Index, attributes, turned


@rule("Conv")
def convolution(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Conv."""
    x, w = index.shape[node.input[0]], index.shape[node.input[1]]
    parts = windows_of(node, x[2:], w[2:], index.shape[node.output[0]][2:])
    root = _exchanged(index, node.input[0])
    if root is None or _groups(node) > 1:
        _product(builder, index, node, parts, node.input[1])
    else:
        _gradient(builder, index, node, parts, root)
    _bias(builder, index, node)
    return True


@rule("ConvTranspose")
def transposed(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ConvTranspose: every element of the result sees those whose windows it is in."""
    x, w = index.shape[node.input[0]], index.shape[node.input[1]]
    parts = adjoint_windows_of(node, index.shape[node.output[0]][2:], w[2:], x[2:])
    name, groups, first = f"{node.output[0]}.weight", _groups(node), [1, 0]
    weight = node.input[1]
    if groups > 1:
        weight, first = _reshaped(builder, weight, (groups, w[0] // groups, *w[1:]), f"{name}.groups"), [0, 2, 1]
    order = [*first, *range(len(first), len(first) + len(parts))]
    turned = builder.op("Transpose", weight, name=name, perm=order)
    _product(builder, index, node, parts, turned)
    _bias(builder, index, node)
    return True


def _product(builder: Builder, index: Index, node: onnx.NodeProto, parts: Sequence[Along], weight: str) -> None:
    """The windows times the weight [m, c, places]; in each group its own channels and results."""
    windows = columns(builder, index, node.input[0], parts, swapped=False)
    (n, m, *sizes), outer = index.shape[node.output[0]], "hijk"[: len(parts)]
    result, groups = node.output[0], _groups(node)
    count = prod(index.shape[node.input[1]]) // m
    if groups == 1:
        rows = _reshaped(builder, weight, (m, count), f"{result}.rows")
        builder.op("Einsum", windows, rows, name=_sum(node), reserved=True, equation=f"n{outer}z,mz->nm{outer}")
        return
    rows = _reshaped(builder, weight, (groups, m // groups, count), f"{result}.rows")
    parted = _reshaped(builder, windows, (n, *sizes, groups, count), f"{result}.parted")
    found = builder.op("Einsum", parted, rows, name=f"{result}.groups", equation=f"n{outer}gz,gmz->ngm{outer}")
    shape = builder.constant(np.array((n, m, *sizes), np.int64), f"{result}.shape")
    builder.op("Reshape", found, shape, name=_sum(node), reserved=True)


def _groups(node: onnx.NodeProto) -> int:
    return int(attributes(node).get("group", 1))


def _gradient(builder: Builder, index: Index, node: onnx.NodeProto, parts: Sequence[Along], root: str) -> None:
    """The windows of a root [n, c, …], of which node's image is [c, n, …], times a kernel [m, n, places]."""
    windows = columns(builder, index, root, parts, swapped=True)
    c, m, *out = index.shape[node.output[0]]
    inner = "pqrs"[: len(parts)]
    equation = f"n{inner}z,mn{inner}->zm"
    found = builder.op("Einsum", windows, node.input[1], name=f"{node.output[0]}.columns", equation=equation)
    wide = _reshaped(builder, found, (c, *out, m), f"{node.output[0]}.places")
    rank = len(out)
    builder.op("Transpose", wide, name=_sum(node), reserved=True, perm=[0, rank + 1, *range(1, rank + 1)])


def _exchanged(index: Index, name: str) -> str | None:
    """What a value is with its first two axes exchanged, None where it is not made so."""
    producer = index.producer.get(name)
    if producer is None or producer.op_type != "Transpose":
        return None
    rank = len(index.shape[name])
    return producer.input[0] if turned(producer, rank) == [1, 0, *range(2, rank)] else None


def _reshaped(builder: Builder, value: str, shape: Sequence[int], name: str) -> str:
    return builder.op("Reshape", value, builder.constant(np.array(shape, np.int64), f"{name}.shape"), name=name)


def _sum(node: onnx.NodeProto) -> str:
    """The name of the result without the bias."""
    return f"{node.output[0]}.product" if len(node.input) > 2 and node.input[2] else node.output[0]


def _bias(builder: Builder, index: Index, node: onnx.NodeProto) -> None:
    """Add the bias [m] to the product, if there is one."""
    if len(node.input) < 3 or not node.input[2]:
        return
    result = node.output[0]
    rank = len(index.shape[result]) - 2
    axes = builder.constant(np.arange(1, rank + 1), f"axes_1_{rank + 1}")
    wide = builder.op("Unsqueeze", node.input[2], axes, name=f"{result}.bias")
    builder.op("Add", _sum(node), wide, name=result, reserved=True)
