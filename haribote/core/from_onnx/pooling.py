"""Pooling as reductions over the places of windows.

Windows that lie side by side, of 2, 4, 8, … places, are axes of their own in a view of the image; others are picked.

    LpPool                ->  the root of a sum of powers
    Col2Im                ->  every element as the sum of what its windows have
    MaxUnpool             ->  ScatterElements among zeros
    MaxPool, AveragePool  ->  a reduction over the axes of the places
    MaxPoolGrad(g, x)     ->  g where an element is the first largest one of its window, summed over windows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod

import numpy as np
import onnx

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.rules import rule
from haribote.core.from_onnx.windows import Ints, seen_by, spread, windows_of
from haribote.graph import Builder, Index, attributes


@dataclass(frozen=True, eq=False)
class Pooled:
    """The windows of an image as a value. axes: of its places; seen: its shape; wide: that with size 1 for its places;
    numbers: of the places, of a shape that is broadcast to the windows. found: the flat element of the image at each
    place [n, c, windows, places], None where the windows are a view.
    """

    value: str
    axes: tuple[int, ...]
    seen: tuple[int, ...]
    wide: tuple[int, ...]
    numbers: Ints
    found: Ints | None = None


def _pooled(builder: Builder, index: Index, node: onnx.NodeProto, x: str, out: Sequence[int], fill: float) -> Pooled:
    """The windows of a node's image."""
    shape, kernel = index.shape[x], attributes(node)["kernel_shape"]
    parts = [part.elements() for part in windows_of(node, shape[2:], kernel, out)]
    rank = len(out)
    if all(_side_by_side(part, length) for part, length in zip(parts, shape[2:], strict=True)):
        cut = [size for pair in zip(out, kernel, strict=True) for size in pair]
        value = _reshaped(builder, x, (*shape[:2], *cut), f"{x}.cut")
        axes = tuple(3 + 2 * axis for axis in range(rank))
        wide = [1 if axis in axes else size for axis, size in enumerate((*shape[:2], *cut))]
        places = [kernel[axis // 2] if axis % 2 else 1 for axis in range(2 * rank)]
        return Pooled(value, axes, (*shape[:2], *cut), tuple(wide), np.arange(prod(kernel)).reshape(places))
    found = spread(shape, parts).reshape(*shape[:2], *out, prod(kernel))
    name = builder.fresh(f"{x}.windows")
    pick(builder, x, found, name, fill)
    return Pooled(name, (2 + rank,), found.shape, (*shape[:2], *out, 1), np.arange(prod(kernel)), found)


def _side_by_side(part: Ints, length: int) -> bool:
    """True where windows [window, place] are the axis cut at bits of its index."""
    size = part.shape[1]
    return part.size == length and not size & (size - 1) and np.array_equal(part.ravel(), np.arange(length))


def _reshaped(builder: Builder, value: str, shape: Sequence[int], name: str, reserved: bool = False) -> str:
    sizes = builder.constant(np.array(shape, np.int64), f"shape_{'x'.join(map(str, shape))}")
    return builder.op("Reshape", value, sizes, name=name, reserved=reserved)


def _reduced(builder: Builder, op_type: str, value: str, axes: Sequence[int], name: str) -> str:
    given = builder.constant(np.array(axes, np.int64), f"axes_{'_'.join(map(str, axes))}")
    return builder.op(op_type, value, given, name=name, keepdims=1)


@rule("MaxPool")
def max_pool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MaxPool, and where in the image its elements are."""
    places = node.output[1] if len(node.output) > 1 else ""
    x, result = node.input[0], node.output[0] or places
    windows = _pooled(builder, index, node, x, index.shape[result][2:], -inf)
    most = _reduced(builder, "ReduceMax", windows.value, windows.axes, f"{result}.most")
    if node.output[0]:
        _reshaped(builder, most, index.shape[result], result, reserved=True)
    if places:
        count = prod(index.shape[x])
        shape = index.shape[x]
        found = np.arange(count).reshape(windows.seen) if windows.found is None else windows.found
        if attributes(node).get("storage_order", 0):  # numbers that count along the first axis of an image first
            image = np.arange(prod(shape[2:])).reshape(shape[2:][::-1]).transpose()
            numbers = np.arange(prod(shape[:2])).reshape(-1, 1) * image.size + image.reshape(1, -1)
            found = np.where(found < 0, found, numbers.reshape(-1)[found])
        first = _first(builder, windows, most, found, count, f"{places}.number")
        number = builder.op("Cast", first, name=f"{places}.whole", to=onnx.TensorProto.INT64)
        _reshaped(builder, number, index.shape[places], places, reserved=True)
    return True


def _first(builder: Builder, windows: Pooled, most: str, numbers: Ints, none: int, name: str) -> str:
    """The least number of a place of each window that holds its largest element.

    Numbers are floats, exact to 2^24, since the tree of the chip finds a minimum of floats on the way and has none for
    integers.
    """
    if windows.found is not None and (windows.found < 0).any():
        beyond = windows.found[:1, :1] < 0  # as large as a largest element that is -inf, but no element
        numbers = np.where(beyond, none, numbers)
    known = builder.constant(numbers.astype(np.float32), f"{name}.numbers")
    equal = builder.op("Equal", windows.value, most, name=f"{name}.equal")
    places = builder.op("Where", equal, known, builder.scalar(float(none)), name=f"{name}.places")
    return _reduced(builder, "ReduceMin", places, windows.axes, name)


def _places_with_padding(node: onnx.NodeProto, image: Sequence[int], out: Sequence[int]) -> Ints:
    """How many places of each window lie in the image or its padding: with `ceil_mode` the last ones reach further."""
    given, rank = attributes(node), len(out)
    after = given.get("pads", [0] * 2 * rank)[rank:]
    inside = np.ones([1] * rank, np.int64)
    for axis, part in enumerate(windows_of(node, image, given["kernel_shape"], out)):
        padded = given.get("auto_pad", b"NOTSET") == b"NOTSET"
        places = part.positions < image[axis] + after[axis] if padded else np.ones(part.positions.shape, bool)
        inside = inside * places.sum(-1).reshape([-1 if k == axis else 1 for k in range(rank)])
    return inside


@rule("AveragePool")
def average_pool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """AveragePool: sums, times 1/n, where n may leave the padding out."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    out = index.shape[result][2:]
    windows = _pooled(builder, index, node, x, out, 0.0)
    total = _reduced(builder, "ReduceSum", windows.value, windows.axes, f"{result}.sums")
    total = _reshaped(builder, total, index.shape[result], f"{result}.sum")
    count = np.full(out, windows.numbers.size)
    if windows.found is not None and given.get("count_include_pad", 0):
        count = _places_with_padding(node, index.shape[x][2:], out)
    elif windows.found is not None:
        count = (windows.found[0, 0] >= 0).sum(-1)
    factor = (1 / np.maximum(count, 1)).astype(np.float32)
    even = bool((factor == factor.flat[0]).all())
    name = builder.scalar(float(factor.flat[0])) if even else builder.constant(factor, f"{result}.factor")
    builder.op("Mul", total, name, name=result, reserved=True)
    return True


@rule("MaxPoolGrad")
def max_pool_grad(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """The gradient goes to the first largest element of each window."""
    (grad, x), result = node.input, node.output[0]
    shape = index.shape[x]
    windows = _pooled(builder, index, node, x, index.shape[grad][2:], -inf)
    most = _reduced(builder, "ReduceMax", windows.value, windows.axes, f"{result}.most")
    first = _first(builder, windows, most, windows.numbers, windows.numbers.size, f"{result}.first")
    numbers = builder.constant(windows.numbers.astype(np.float32), f"{result}.first.numbers")
    chosen = builder.op("Equal", numbers, first, name=f"{result}.chosen")
    hit = builder.op("Cast", chosen, name=f"{result}.hit", to=onnx.TensorProto.FLOAT)
    wide = _reshaped(builder, grad, windows.wide, f"{result}.wide")
    given = builder.op("Mul", hit, wide, name=f"{result}.given")
    if windows.found is None:
        _reshaped(builder, given, shape, result, reserved=True)
    else:
        _summed(builder, given, seen_by(windows.found, prod(shape)), shape, result)
    return True


def _summed(builder: Builder, given: str, seen: Ints, shape: Sequence[int], result: str) -> None:
    """The sum of what all windows give to each element."""
    if seen.shape[1] == 1:
        pick(builder, given, seen.reshape(shape), result)
        return
    parts = builder.fresh(f"{result}.parts")
    pick(builder, given, seen.reshape(*shape, -1), parts)
    axes = builder.constant(np.array([len(shape)], np.int64), f"axes_{len(shape)}")
    builder.op("ReduceSum", parts, axes, name=result, reserved=True, keepdims=0)


@rule("GlobalAveragePool")
def global_mean(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GlobalAveragePool, as a mean."""
    axes = builder.constant(np.arange(2, len(index.shape[node.input[0]])), f"{node.output[0]}.axes")
    total = builder.op("ReduceSum", node.input[0], axes, name=f"{node.output[0]}.sum", keepdims=1)
    count = prod(index.shape[node.input[0]][2:])
    builder.op("Mul", total, builder.scalar(1 / count, index.dtype[node.input[0]]), name=node.output[0], reserved=True)
    return True


@rule("GlobalMaxPool")
def global_max(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GlobalMaxPool, as a maximum."""
    axes = builder.constant(np.arange(2, len(index.shape[node.input[0]])), f"{node.output[0]}.axes")
    builder.op("ReduceMax", node.input[0], axes, name=node.output[0], reserved=True, keepdims=1)
    return True


@rule("Col2Im")
def columns_to_image(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Col2Im: every element is the sum of those that its windows have."""
    x, result, given = node.input[0], node.output[0], attributes(node)
    if any(name not in index.constants for name in node.input[1:3]):
        return False
    image, block = ([int(k) for k in index.constants[name]] for name in node.input[1:3])
    rank, shape = len(image), index.shape[result]
    pads, strides, dilations = (
        given.get(name, default)
        for name, default in (("pads", [0] * 2 * rank), ("strides", [1] * rank), ("dilations", [1] * rank))
    )
    out = [
        (image[k] + pads[k] + pads[k + rank] - dilations[k] * (block[k] - 1) - 1) // strides[k] + 1 for k in range(rank)
    ]
    parts = [part.elements() for part in windows_of(node, image, block, out)]
    found = spread(shape, parts)  # [n, c, windows, places]; x is [n, c * places, windows]
    order = [0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank)]
    seen = seen_by(np.ascontiguousarray(found.transpose(order)), int(np.prod(shape)))
    _summed(builder, x, seen, shape, result)
    return True


@rule("LpPool")
def lp_pool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """LpPool: the root of the sum of powers of what a window sees."""
    x, result, dtype = node.input[0], node.output[0], index.dtype[node.input[0]]
    power = builder.scalar(attributes(node).get("p", 2), dtype)
    windows = _pooled(builder, index, node, x, index.shape[result][2:], 0.0)
    sizes = builder.op("Abs", windows.value, name=f"{result}.sizes")
    powers = builder.op("Pow", sizes, power, name=f"{result}.powers")
    total = _reduced(builder, "ReduceSum", powers, windows.axes, f"{result}.sums")
    root = builder.scalar(1 / attributes(node).get("p", 2), dtype)
    _reshaped(
        builder, builder.op("Pow", total, root, name=f"{result}.root"), index.shape[result], result, reserved=True
    )
    return True


@rule("MaxUnpool")
def max_unpool(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MaxUnpool: the elements where they were, the others 0."""
    x, places, result = node.input[0], node.input[1], node.output[0]
    shape = index.shape[result]
    zeros = builder.constant(np.zeros(prod(shape), index.dtype[x]), f"{result}.zeros")
    flat = [_reshaped(builder, name, (prod(index.shape[name]),), f"{name}.flat") for name in (x, places)]
    found = builder.op("ScatterElements", zeros, flat[1], flat[0], name=f"{result}.flat", axis=0)
    _reshaped(builder, found, shape, result, reserved=True)
    return True
