"""Pooling as reductions over the places of windows.

Windows that lie side by side, of 2, 4, 8, … places, are axes of their own in a view of the image; others are picked.

    LpPool                ->  the root of a sum of powers, of volumes axis by axis
    Col2Im                ->  every element as the sum of what its windows have
    MaxUnpool             ->  ScatterElements among zeros
    MaxPool, AveragePool  ->  a reduction over the axes of the places
    MaxPoolGrad(g, x)     ->  g where an element is the first largest one of its window, summed over windows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod

import numpy as np
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.core.from_onnx.windows import Ints, seen_by, spread, windows_of
from haribote.core.rewrite import Rewriter
from haribote.graph import attributes

SEEN_AT_ONCE = 4
"""Axes of the largest images whose windows are written out; a window of three axes sees too many elements."""


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


def _pooled(g: Rewriter, x: str, out: Sequence[int], fill: float) -> Pooled:
    """The windows of a node's image."""
    shape, kernel = g.shapes[x], g.given["kernel_shape"]
    parts = [part.elements() for part in windows_of(g.node, shape[2:], kernel, out)]
    rank = len(out)
    if all(_side_by_side(part, length) for part, length in zip(parts, shape[2:], strict=True)):
        cut = (*shape[:2], *(size for pair in zip(out, kernel, strict=True) for size in pair))
        axes = tuple(3 + 2 * axis for axis in range(rank))
        wide = [1 if axis in axes else size for axis, size in enumerate(cut)]
        places = [kernel[axis // 2] if axis % 2 else 1 for axis in range(2 * rank)]
        value = g.shaped(x, cut, part="cut")
        return Pooled(value, axes, cut, tuple(wide), np.arange(prod(kernel)).reshape(places))
    found = spread(shape, parts).reshape(*shape[:2], *out, prod(kernel))
    name = g.pick(x, found, part="windows", fill=fill)
    return Pooled(name, (2 + rank,), found.shape, (*shape[:2], *out, 1), np.arange(prod(kernel)), found)


def _side_by_side(part: Ints, length: int) -> bool:
    """True where windows [window, place] are the axis cut at bits of its index."""
    size = part.shape[1]
    return part.size == length and not size & (size - 1) and np.array_equal(part.ravel(), np.arange(length))


@rule("MaxPool")
def max_pool(g: Rewriter) -> str | bool:
    """MaxPool, and where in the image its elements are."""
    x, places = g.node.input[0], g.node.output[1] if len(g.node.output) > 1 else ""
    least = -inf if g.is_float(x) else float(np.iinfo(g.dtypes[x]).min)
    windows = _pooled(g, x, g.shapes[g.result][2:], least)
    most = g.reduced("ReduceMax", windows.value, windows.axes, part="most", keepdims=1)
    if g.node.output[0]:
        g.shaped(most, g.shapes[g.result])
    if places:
        shape, count = g.shapes[x], prod(g.shapes[x])
        found = np.arange(count).reshape(windows.seen) if windows.found is None else windows.found
        if g.given.get("storage_order", 0):  # numbers that count along the first axis of an image first
            image = np.arange(prod(shape[2:])).reshape(shape[2:][::-1]).transpose()
            numbers = np.arange(prod(shape[:2])).reshape(-1, 1) * image.size + image.reshape(1, -1)
            found = np.where(found < 0, found, numbers.reshape(-1)[found])
        first = _first(g, windows, most, found, count)
        g.shaped(g.cast(first, np.int64, part="whole"), g.shapes[places], name=places)
    return True


def _first(g: Rewriter, windows: Pooled, most: str, numbers: Ints, none: int) -> str:
    """The least number of a place of each window that holds its largest element.

    Numbers are floats, exact to 2^24, since the tree of the chip finds a minimum of floats on the way and has none for
    integers.
    """
    if windows.found is not None and (windows.found < 0).any():
        beyond = windows.found[:1, :1] < 0  # as large as a largest element that is -inf, but no element
        numbers = np.where(beyond, none, numbers)
    known = g.constant(numbers.astype(np.float32), "numbers")
    equal = g.op("Equal", windows.value, most, part="equal")
    places = g.op("Where", equal, known, g.number(float(none)), part="places")
    return g.reduced("ReduceMin", places, windows.axes, part="first", keepdims=1)


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
def average_pool(g: Rewriter) -> str | bool:
    """AveragePool: sums, times 1/n, where n may leave the padding out."""
    x, shape = g.node.input[0], g.shapes[g.result]
    image = g.shapes[x]
    if len(shape) > SEEN_AT_ONCE:
        total = _sums_by_axis(g, x, image, shape)
    else:
        windows = _pooled(g, x, shape[2:], 0.0)
        total = g.reduced("ReduceSum", windows.value, windows.axes, part="sums", keepdims=1)
        total = g.shaped(total, shape, part="sum")
    if g.given.get("count_include_pad", 0):
        count = _places_with_padding(g.node, image[2:], shape[2:])
    else:
        parts = windows_of(g.node, image[2:], g.given["kernel_shape"], shape[2:])
        count = reduce(np.multiply.outer, [(part.elements() >= 0).sum(-1) for part in parts])
    factor = (1 / np.maximum(count, 1)).astype(np.float32)
    even = bool((factor == factor.flat[0]).all())
    return g.op("Mul", total, g.number(float(factor.flat[0])) if even else g.constant(factor, "factor"))


@rule("MaxPoolGrad")
def max_pool_grad(g: Rewriter) -> str | bool:
    """The gradient goes to the first largest element of each window."""
    grad, x = g.node.input
    shape = g.shapes[x]
    windows = _pooled(g, x, g.shapes[grad][2:], -inf)
    most = g.reduced("ReduceMax", windows.value, windows.axes, part="most", keepdims=1)
    first = _first(g, windows, most, windows.numbers, windows.numbers.size)
    chosen = g.op("Equal", g.constant(windows.numbers.astype(np.float32), "numbers"), first, part="chosen")
    hit = g.cast(chosen, np.float32, part="hit")
    given = g.op("Mul", hit, g.shaped(grad, windows.wide, part="wide"), part="given")
    if windows.found is None:
        return g.shaped(given, shape)
    return _summed(g, given, seen_by(windows.found, prod(shape)), shape)


def _summed(g: Rewriter, given: str, seen: Ints, shape: Sequence[int]) -> str:
    """The sum of what all windows give to each element."""
    if seen.shape[1] == 1:
        return g.pick(given, seen.reshape(shape))
    return g.reduced("ReduceSum", g.pick(given, seen.reshape(*shape, -1), part="parts"), [len(shape)])


@rule("GlobalAveragePool")
def global_mean(g: Rewriter) -> str | bool:
    """GlobalAveragePool, as a mean."""
    x, shape = g.node.input[0], g.shapes[g.node.input[0]]
    total = g.reduced("ReduceSum", x, range(2, len(shape)), part="sum", keepdims=1)
    return g.op("Mul", total, g.number(1 / prod(shape[2:]), x))


@rule("GlobalMaxPool")
def global_max(g: Rewriter) -> str | bool:
    """GlobalMaxPool, as a maximum."""
    return g.reduced("ReduceMax", g.node.input[0], range(2, len(g.shapes[g.result])), keepdims=1)


@rule("Col2Im")
def columns_to_image(g: Rewriter) -> str | bool:
    """Col2Im: every element is the sum of those that its windows have."""
    if not g.is_known(1, 2):
        return False
    image, block = ([int(k) for k in g.index.constants[name]] for name in g.node.input[1:3])
    rank, shape = len(image), g.shapes[g.result]
    pads, strides, dilations = (
        g.given.get(name, default)
        for name, default in (("pads", [0] * 2 * rank), ("strides", [1] * rank), ("dilations", [1] * rank))
    )
    out = [
        (image[k] + pads[k] + pads[k + rank] - dilations[k] * (block[k] - 1) - 1) // strides[k] + 1 for k in range(rank)
    ]
    parts = [part.elements() for part in windows_of(g.node, image, block, out)]
    found = spread(shape, parts)  # [n, c, windows, places]; x is [n, c * places, windows]
    order = [0, 1, *range(2 + rank, 2 + 2 * rank), *range(2, 2 + rank)]
    return _summed(g, g.node.input[0], seen_by(np.ascontiguousarray(found.transpose(order)), prod(shape)), shape)


@rule("LpPool")
def lp_pool(g: Rewriter) -> str | bool:
    """LpPool: the root of the sum of powers of what a window sees."""
    x, shape, power = g.node.input[0], g.shapes[g.result], g.given.get("p", 2)
    if len(shape) > SEEN_AT_ONCE:
        powers = g.op("Pow", g.op("Abs", x, part="sizes"), g.number(power, x), part="powers")
        return g.op("Pow", _sums_by_axis(g, powers, g.shapes[x], shape), g.number(1 / power, x))
    windows = _pooled(g, x, shape[2:], 0.0)
    powers = g.op("Pow", g.op("Abs", windows.value, part="sizes"), g.number(power, x), part="powers")
    total = g.reduced("ReduceSum", powers, windows.axes, part="sums", keepdims=1)
    return g.shaped(g.op("Pow", total, g.number(1 / power, x), part="root"), shape)


def _sums_by_axis(g: Rewriter, x: str, image: Sequence[int], out: Sequence[int]) -> str:
    """The sum over each window, one axis after another: a product with what is 1 where a window sees an element."""
    for axis, along in enumerate(windows_of(g.node, image[2:], g.given["kernel_shape"], out[2:]), 2):
        seen = np.zeros((out[axis], image[axis] + 1), np.float32)  # the last column: what is beside the image
        np.add.at(seen, (np.arange(out[axis])[:, None], along.elements()), 1)
        x = g.times(x, g.constant(seen[:, :-1], f"seen_{axis}"), axis, len(image), part=f"sums_{axis}")
    return x


@rule("MaxUnpool")
def max_unpool(g: Rewriter) -> str | bool:
    """MaxUnpool: the elements where they were, the others 0."""
    x, places, shape = g.node.input[0], g.node.input[1], g.shapes[g.result]
    zeros = g.constant(np.zeros(prod(shape), g.dtypes[x]), "zeros")
    flat = [g.shaped(name, [prod(g.shapes[name])], part="flat") for name in (places, x)]
    return g.shaped(g.op("ScatterElements", zeros, *flat, part="all", axis=0), shape)
