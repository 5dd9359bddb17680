"""Convolution and pooling: windows of the images, picked into axes of their own, then a product or a reduction.

    Conv(x, w)            ->  Einsum(windows of x, w)
    ConvTranspose(x, w)   ->  the same, with windows between whose elements there are zeros
    MaxPool, AveragePool  ->  a reduction over the axes of the windows
    MaxPoolGrad(g, x)     ->  g where an element is the first largest one of its window, summed over windows

The windows of a forward convolution and those of its weight's gradient are the same elements, written alike, so
that they are picked once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import pick
from haribote.stack.elementary.rules import Rule

Ints = NDArray[np.int64]
LOWEST = -1e30
"""What a window of MaxPool holds beyond the image."""


@dataclass(frozen=True)
class Window:
    """How a window goes along one axis of the image: element o * stride + k * dilation - before."""

    size: int
    count: int
    stride: int = 1
    dilation: int = 1
    before: int = 0

    def elements(self, length: int) -> Ints:
        """[count, size]: the element of the axis that each place of each window sees, -1 beyond its ends."""
        o, k = np.arange(self.count)[:, None], np.arange(self.size)[None]
        found = o * self.stride + k * self.dilation - self.before
        return np.where((found >= 0) & (found < length), found, -1)

    def adjoint(self, length: int) -> Ints:
        """[length, size]: the window that sees element i at place k, -1 where none does."""
        i, k = np.arange(length)[:, None], np.arange(self.size)[None]
        found = i + self.before - k * self.dilation
        inside = (found % self.stride == 0) & (found >= 0) & (found < self.count * self.stride)
        return np.where(inside, found // self.stride, -1)


def windows_of(node: onnx.NodeProto, image: Sequence[int], kernel: Sequence[int], out: Sequence[int]) -> list[Window]:
    """The windows of a node along its spatial axes."""
    given, rank = attributes(node), len(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    pads = _pads(given, image, kernel, out, strides, dilations)
    return [Window(*parts) for parts in zip(kernel, out, strides, dilations, pads, strict=True)]


def _pads(
    given: Mapping[str, Any],
    image: Sequence[int],
    kernel: Sequence[int],
    out: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> list[int]:
    """Elements of padding before each axis."""
    auto = given.get("auto_pad", b"NOTSET")
    if auto in (b"NOTSET", b"VALID"):
        return list(given.get("pads", [0] * 2 * len(kernel)))[: len(kernel)]
    total = [
        max((o - 1) * s + (k - 1) * d + 1 - n, 0)
        for n, k, o, s, d in zip(image, kernel, out, strides, dilations, strict=True)
    ]
    return [ceil(t / 2) if auto == b"SAME_LOWER" else t // 2 for t in total]


def spread(shape: Sequence[int], parts: Sequence[Ints]) -> Ints:
    """The flat index of an image's elements [first, second, rows of all parts, columns of all parts]; -1 where a part
    has none.
    """
    rank = len(parts)
    grid = np.arange(shape[0])[:, None] * shape[1] + np.arange(shape[1])[None]
    found = grid.reshape(shape[0], shape[1], *[1] * (2 * rank))
    valid = np.ones((1, 1, *[1] * (2 * rank)), np.bool_)
    for axis, part in enumerate(parts):
        place = [1] * (2 + 2 * rank)
        place[2 + axis], place[2 + rank + axis] = part.shape
        part = part.reshape(place)
        found = found * shape[2 + axis] + np.maximum(part, 0)
        valid = valid & (part >= 0)
    return np.where(valid, found, -1)


def convolution(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Conv, grouped or not."""
    x, w = index.shape[node.input[0]], index.shape[node.input[1]]
    out = index.shape[node.output[0]]
    windows = windows_of(node, x[2:], w[2:], out[2:])
    parts = [window.elements(length) for window, length in zip(windows, x[2:], strict=True)]
    return _contracted(builder, index, node, parts, weight_first=True)


def transposed(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ConvTranspose: every element of the result sees those whose windows it is in."""
    x, w = index.shape[node.input[0]], index.shape[node.input[1]]
    out = index.shape[node.output[0]]
    windows = windows_of(node, out[2:], w[2:], x[2:])
    parts = [window.adjoint(length) for window, length in zip(windows, out[2:], strict=True)]
    return _contracted(builder, index, node, parts, weight_first=False)


def _contracted(
    builder: Builder, index: Index, node: onnx.NodeProto, parts: Sequence[Ints], weight_first: bool
) -> bool:
    """The windows times the weight."""
    (x, w, *bias), result, rank = node.input, node.output[0], len(parts)
    groups = attributes(node).get("group", 1)
    if groups != 1:
        return False
    outer, inner = "hijk"[:rank], "pqrs"[:rank]
    columns, letters = _columns(builder, index, x, parts, f"n{'c'}{outer}{inner}")
    weight = f"mc{inner}" if weight_first else f"cm{inner}"
    product = f"{result}.product" if bias and bias[0] else result
    builder.op("Einsum", columns, w, name=product, reserved=True, equation=f"{letters},{weight}->nm{outer}")
    if bias and bias[0]:
        axes = builder.constant(np.arange(1, rank + 1), f"axes_1_{rank + 1}")
        wide = builder.op("Unsqueeze", bias[0], axes, name=f"{result}.bias")
        builder.op("Add", product, wide, name=result, reserved=True)
    return True


def _columns(builder: Builder, index: Index, x: str, parts: Sequence[Ints], letters: str) -> tuple[str, str]:
    """The windows of an image as a value, and letters for its axes. Through a Transpose the image itself is picked
    from, and the axes stand in an order that does not depend on which of them are summed over later.
    """
    found = spread(index.shape[x], parts)
    order = [0, 1]
    producer = index.producer.get(x)
    if producer is not None and producer.op_type == "Transpose":
        perm = attributes(producer)["perm"]
        if sorted(perm[:2]) == [0, 1] and list(perm[2:]) == list(range(2, len(perm))):
            numbers = np.arange(prod(index.shape[x])).reshape(index.shape[producer.input[0]])
            flat = numbers.transpose(perm).reshape(-1)
            found, x, order = np.where(found >= 0, flat[found], -1), producer.input[0], list(perm[:2])
    rank = len(parts)
    outer, inner = list(range(2, 2 + rank)), list(range(2 + rank, 2 + 2 * rank))
    if prod(found.shape[2 : 2 + rank]) < prod(found.shape[2 + rank :]):
        outer, inner = inner, outer
    axes = [order.index(0), *outer, order.index(1), *inner]
    name = builder.fresh(f"{x}.windows")
    pick(builder, x, np.ascontiguousarray(found.transpose(axes)), name)
    return name, "".join(letters[axis] for axis in axes)


# --- pooling ---------------------------------------------------------------------------------------------------------


def _pooled(
    builder: Builder, index: Index, node: onnx.NodeProto, x: str, out: Sequence[int], fill: float
) -> tuple[str, Ints, list[Window]]:
    """The windows [n, c, …, places], the index by which they were picked, and how they go."""
    shape, kernel = index.shape[x], attributes(node)["kernel_shape"]
    windows = windows_of(node, shape[2:], kernel, out)
    parts = [window.elements(length) for window, length in zip(windows, shape[2:], strict=True)]
    found = spread(shape, parts).reshape(*shape[:2], *out, prod(kernel))
    name = builder.fresh(f"{x}.windows")
    pick(builder, x, found, name, fill)
    return name, found, windows


def _last(builder: Builder, rank: int) -> str:
    return builder.constant(np.array([rank], np.int64), f"axes_{rank}")


def max_pool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MaxPool, without its second output."""
    if len(node.output) > 1 and node.output[1]:
        return False
    out = index.shape[node.output[0]][2:]
    columns, _, _ = _pooled(builder, index, node, node.input[0], out, LOWEST)
    builder.op("ReduceMax", columns, _last(builder, 2 + len(out)), name=node.output[0], reserved=True, keepdims=0)
    return True


def average_pool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """AveragePool: sums, times 1/n, where n may leave the padding out."""
    result, given = node.output[0], attributes(node)
    out = index.shape[result][2:]
    columns, found, _ = _pooled(builder, index, node, node.input[0], out, 0.0)
    axes = _last(builder, 2 + len(out))
    total = builder.op("ReduceSum", columns, axes, name=f"{result}.sum", keepdims=0)
    count = np.full(out, found.shape[-1]) if given.get("count_include_pad", 0) else (found[0, 0] >= 0).sum(-1)
    factor = builder.constant((1 / np.maximum(count, 1)).astype(np.float32), f"{result}.factor")
    builder.op("Mul", total, factor, name=result, reserved=True)
    return True


def max_pool_grad(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """The gradient goes to the first largest element of each window."""
    (grad, x), result = node.input, node.output[0]
    out, shape = index.shape[grad][2:], index.shape[x]
    columns, found, _ = _pooled(builder, index, node, x, out, LOWEST)
    places, axes = found.shape[-1], _last(builder, 2 + len(out))
    numbers = builder.constant(np.arange(places, dtype=np.int32), f"numbers_{places}")
    most = builder.op("ReduceMax", columns, axes, name=f"{result}.most", keepdims=1)
    equal = builder.op("Equal", columns, most, name=f"{result}.equal")
    none = builder.constant(np.array(places, np.int32), f"number_{places}")
    first = builder.op("ReduceMin", builder.op("Where", equal, numbers, none, name=f"{result}.places"), axes,
                       name=f"{result}.first", keepdims=1)  # fmt: skip
    hit = builder.op("Cast", builder.op("Equal", numbers, first, name=f"{result}.chosen"), name=f"{result}.hit",
                     to=onnx.TensorProto.FLOAT)  # fmt: skip
    wide = builder.op("Unsqueeze", grad, axes, name=f"{result}.wide")
    given = builder.op("Mul", hit, wide, name=f"{result}.given")
    seen = _seen_by(found, prod(shape))
    if seen.shape[1] == 1:
        pick(builder, given, seen.reshape(shape), result)
        return True
    parts = f"{result}.parts"
    pick(builder, given, seen.reshape(*shape, -1), parts)
    builder.op("ReduceSum", parts, _last(builder, len(shape)), name=result, reserved=True, keepdims=0)
    return True


def _seen_by(found: Ints, count: int) -> Ints:
    """[element, times]: the flat places of the windows that see each element, filled up with -1."""
    places = np.flatnonzero(found >= 0)
    elements = found.reshape(-1)[places]
    order = np.argsort(elements, kind="stable")
    elements, places = elements[order], places[order]
    number = np.arange(len(elements)) - np.searchsorted(elements, elements)
    seen = np.full((count, int(number.max(initial=0)) + 1), -1, np.int64)
    seen[elements, number] = places
    return seen


WINDOWS: Mapping[str, Rule] = {
    "AveragePool": average_pool,
    "Conv": convolution,
    "ConvTranspose": transposed,
    "MaxPool": max_pool,
    "MaxPoolGrad": max_pool_grad,
}
