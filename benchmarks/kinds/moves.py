"""Operators that move elements to places that are known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from onnx.numpy_helper import from_array

from benchmarks.growing import SIZES, Grower
from haribote.errors import GraphError


def _transpose(g: Grower) -> None:
    x = g.any(1)
    order = list(range(g.values[x].ndim))
    g.random.shuffle(order)
    given: dict[str, Any] = {"perm": order} if g.random.random() < 0.85 else {}
    g.add("Transpose", x, **given)


def _reshape(g: Grower) -> None:
    x = g.any()
    left, own = g.values[x].size, g.values[x].shape
    shape: list[int] = []
    while left > 1 and len(shape) < 3 and g.random.random() < 0.7:
        shape.append(g.random.choice([n for n in range(1, left + 1) if left % n == 0]))
        left //= shape[-1]
    shape.append(left)
    g.random.shuffle(shape)
    said = [0 if k < len(own) and own[k] == size and g.random.random() < 0.3 else size for k, size in enumerate(shape)]
    if g.random.random() < 0.3:
        said[g.random.randrange(len(said))] = -1
    g.add("Reshape", x, g.constant(*said))


def _flatten(g: Grower) -> None:
    x = g.any()
    rank = g.values[x].ndim
    g.add("Flatten", x, axis=g.random.randint(-rank, rank))


def _squeeze(g: Grower) -> None:
    x = g.any()
    ones = [axis for axis, size in enumerate(g.values[x].shape) if size == 1]
    some = [g.said(x, axis) for axis in g.random.sample(ones, g.random.randint(0, len(ones)))]
    g.add("Squeeze", x, *([g.constant(*some)] if some else []))


def _unsqueeze(g: Grower) -> None:
    x = g.any()
    rank = g.values[x].ndim + g.random.choice((1, 1, 2))
    axes = g.random.sample(range(rank), rank - g.values[x].ndim)
    g.add("Unsqueeze", x, g.constant(*(axis - g.random.choice((0, rank)) for axis in axes)))


def _slice(g: Grower) -> None:
    x = g.any(1)
    axes = g.random.sample(range(g.values[x].ndim), g.random.randint(1, g.values[x].ndim))
    parts = [_part(g, g.values[x].shape[axis]) for axis in axes]
    first, last, step = zip(*parts, strict=True)
    g.add("Slice", x, *(g.constant(*numbers) for numbers in (first, last, [g.said(x, a) for a in axes], step)))


def _part(g: Grower, size: int) -> tuple[int, int, int]:
    """Where a slice starts, where it ends, and its step, which may be negative."""
    first = g.random.randrange(size)
    last, step = g.random.randint(first + 1, size), g.random.choice((1, 1, 1, 2, 3, -1, -2))
    if step > 0:
        return first - g.random.choice((0, size)), last + g.random.choice((0, 0, 1 << 40)) * (last == size), step
    return last - 1 - g.random.choice((0, size)), first - 1 - size if first else -(1 << 40), step


def _slice_front(g: Grower) -> None:
    """Of the first axes, which need not be named."""
    x = g.any(1)
    sizes = g.values[x].shape[: g.random.randint(1, g.values[x].ndim)]
    last = [g.random.randint(1, size) for size in sizes]
    g.add("Slice", x, g.constant(*(g.random.randrange(end) for end in last)), g.constant(*last))


def _pad(g: Grower) -> None:
    x = g.any(1)
    mode = g.random.choice(("constant", "constant", "edge", "reflect", "wrap"))
    shape, dtype = g.values[x].shape, g.values[x].dtype
    axes = g.random.sample(range(len(shape)), g.random.randint(1, len(shape)))
    limits = [shape[axis] - 1 if mode in ("reflect", "wrap") else 5 for axis in axes] * 2
    widths = [min(g.random.choice((0, 0, 1, 2, 5)), most) for most in limits]
    if mode == "constant" and g.random.random() < 0.3:
        widths = [
            -1 if shape[axis] > 2 and g.random.random() < 0.3 else w for axis, w in zip(axes * 2, widths, strict=True)
        ]
    value = g.builder.scalar(g.random.choice((0.0, 1.5, -2.0)), dtype)
    g.add("Pad", x, g.constant(*widths), *_padding(g, x, mode, value, axes), mode=mode)


def _padding(g: Grower, x: str, mode: str, value: str, axes: Sequence[int]) -> list[str]:
    """What else Pad reads."""
    return [value if mode == "constant" and g.random.random() < 0.7 else "", g.constant(*(g.said(x, a) for a in axes))]


def _concat(g: Grower) -> None:
    x = g.any(1)
    axis, value = g.axis(x), g.values[x]
    names = [x]
    for _ in range(g.random.choice((0, 1, 1, 2, 3))):
        shape = [g.random.choice(SIZES) if k == axis else size for k, size in enumerate(value.shape)]
        there = [n for n, v in g.values.items() if v.dtype == value.dtype and v.ndim == value.ndim
                 and all(a == b for k, (a, b) in enumerate(zip(v.shape, shape, strict=True)) if k != axis)]  # fmt: skip
        names.append(g.random.choice(there) if g.random.random() < 0.5 else g.input(shape, value.dtype.name))
    g.random.shuffle(names)
    g.add("Concat", *names, axis=g.said(x, axis))


def _split(g: Grower) -> None:
    x = g.any(1)
    axis = g.axis(x)
    size = g.values[x].shape[axis]
    count = g.random.randint(1, min(size, 4))
    if g.random.random() < 0.5:
        g.add("Split", x, axis=g.said(x, axis), num_outputs=count, outputs=count)
        return
    cuts = [0, *sorted(g.random.sample(range(1, size), count - 1)), size]
    sizes = g.constant(*(b - a for a, b in pairwise(cuts)))
    g.add("Split", x, sizes, axis=g.said(x, axis), outputs=count)


def _expand(g: Grower) -> None:
    x = g.any()
    shape = [g.random.choice((1, 2, 5)) if size == 1 else g.random.choice((size, 1)) for size in g.values[x].shape]
    g.add("Expand", x, g.constant(*[g.random.choice((1, 3))][: g.random.randint(0, 1)], *shape))


def _tile(g: Grower) -> None:
    x = g.any(1)
    g.add("Tile", x, g.constant(*[g.random.choice((1, 1, 2, 3)) for _ in g.values[x].shape]))


def _triangle(g: Grower) -> None:
    x = g.any(2)
    k = [g.number(g.random.randint(-3, 3))] if g.random.random() < 0.5 else []
    g.add("Trilu", x, *k, upper=g.random.randint(0, 1))


def _blocks(g: Grower) -> None:
    n, c, h, w, size = (g.random.choice((1, 2, 3)) for _ in range(5))
    if g.random.random() < 0.5:
        g.add("SpaceToDepth", g.input((n, c, h * size, w * size)), blocksize=size)
    else:
        mode = g.random.choice(("DCR", "CRD"))
        g.add("DepthToSpace", g.input((n, c * size * size, h, w)), blocksize=size, mode=mode)


def _eye(g: Grower) -> None:
    x = g.any(2)
    if g.values[x].ndim != 2:
        raise GraphError("no matrix")
    g.add("EyeLike", x, k=g.random.randint(-2, 2))


def _known(g: Grower) -> None:
    """What follows from constants: a range, a shape, a filled tensor."""
    match g.random.randint(0, 2):
        case 0:
            g.add("Range", g.number(0), g.number(g.random.randint(1, 20)), g.number(g.random.randint(1, 3)))
        case 1:
            g.add("Shape", g.any())
        case _:
            value = np.array([g.random.choice((0.0, 1.5))], np.float32)
            shape = g.constant(*g.shape(g.random.choice((0, 1, 2)), 100))
            g.add("ConstantOfShape", shape, value=from_array(value))


ALL = (
    _transpose, _reshape, _flatten, _squeeze, _unsqueeze, _slice, _slice_front, _pad, _concat, _split, _expand, _tile,
    _triangle, _blocks, _eye, _known,
)  # fmt: skip
