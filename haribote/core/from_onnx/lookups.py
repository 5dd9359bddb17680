"""Gathers whose indices are computed, as Pick by flat numbers that are computed of them:

number = (index, or index + size where it is negative) * elements behind the axis + those of the other axes
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from haribote.core.from_onnx.labels import pick_column, wrapped_index
from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@rule("Gather")
def gather(g: Rewriter) -> str | bool:
    """Gather along an axis."""
    x, rows = g.node.input
    if g.is_known(1):
        return False
    shape, asked = g.shapes[x], g.shapes[rows]
    axis = g.given.get("axis", 0) % len(shape)
    behind = len(shape) - axis - 1
    number = _number(g, rows, shape, axis)
    if behind and asked:
        number = g.wide(number, range(len(asked), len(asked) + behind), part="wide")
    others = [range(size) if k != axis else [0] for k, size in enumerate(shape)]
    place = _strided(others, shape).reshape([*shape[:axis], *[1] * len(asked), *shape[axis + 1 :]])
    return _picked(g, number, len(asked), place)


@rule("GatherElements")
def gather_elements(g: Rewriter) -> str | bool:
    """GatherElements: every index has the other axes' indices of its own place."""
    if found := pick_column(g):
        return found
    x, rows = g.node.input
    if g.is_known(1):
        return False
    shape, asked = g.shapes[x], g.shapes[rows]
    axis = g.given.get("axis", 0) % len(shape)
    place = _strided([range(size) if k != axis else [0] for k, size in enumerate(asked)], shape)
    return _picked(g, _number(g, rows, shape, axis), len(asked), place)


@rule("GatherND")
def gather_nd(g: Rewriter) -> str | bool:
    """GatherND: every row of the indices names a place in the first axes behind those of the batch."""
    x, rows = g.node.input
    if g.is_known(1):
        return False
    shape, asked = g.shapes[x], g.shapes[rows]
    batch, depth, rank = g.given.get("batch_dims", 0), asked[-1], len(asked) - 1
    behind = shape[batch + depth :]
    number = tuple_numbers(g, rows, shape, batch)
    if behind and rank:
        number = g.wide(number, range(rank, rank + len(behind)), part="wide")
    parts = [range(size) for size in shape[:batch]] + [[0]] * depth + [range(size) for size in behind]
    place = _strided(parts, shape).reshape([*shape[:batch], *[1] * (rank - batch), *behind])
    return _picked(g, number, rank, place)


def tuple_numbers(g: Rewriter, rows: str, shape: Sequence[int], first: int) -> str:
    """The flat numbers of places that the last axis of the indices names in the axes of `shape` from `first` on."""
    dtype, depth, rank = g.dtypes[rows], g.shapes[rows][-1], len(g.shapes[rows])
    sizes = g.constant(np.array(shape[first : first + depth], dtype), "number.sizes")
    strides = g.constant(np.array([prod(shape[first + k + 1 :]) for k in range(depth)], dtype), "number.strides")
    negative = g.op("Less", rows, g.number(0, rows), part="number.negative")
    from_end = g.op("Add", rows, sizes, part="number.from_end")
    wrapped = g.op("Where", negative, from_end, rows, part="number.rows")
    return g.reduced("ReduceSum", g.op("Mul", wrapped, strides, part="number.scaled"), [rank - 1], part="number")


def _strided(ranges: Sequence[Sequence[int]], shape: Sequence[int]) -> NDArray[np.int64]:
    """The flat numbers, in a tensor of a shape, of all combinations of indices along its axes."""
    grids = np.meshgrid(*ranges, indexing="ij")
    return np.asarray(sum(grid * prod(shape[k + 1 :]) for k, grid in enumerate(grids)), np.int64)


def _number(g: Rewriter, rows: str, shape: Sequence[int], axis: int) -> str:
    """What indices along an axis add to the flat number: a product by doubling, since integers have none."""
    value, factor, total = wrapped_index(g, rows, shape[axis], "rows"), prod(shape[axis + 1 :]), ""
    while factor:
        if factor & 1:
            total = g.op("Add", total, value, part="number") if total else value
        factor >>= 1
        if factor:
            value = g.op("Add", value, value, part="number.twice")
    return total


def _picked(g: Rewriter, number: str, rank: int, place: NDArray[np.int64]) -> str:
    """Pick by the numbers, which have `rank` axes of indices, and those of the other axes at their place."""
    x, rows = g.node.input
    if place.any() or place.ndim > min(1, rank):
        number = g.op("Add", number, g.constant(place.astype(g.dtypes[rows]), "place"), part="index")
    return g.op("Pick", x, number, fill=0.0)
