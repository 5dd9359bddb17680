"""Gathers whose indices are computed, as Pick by flat numbers that are computed of them:

number = (index, or index + size where it is negative) * elements behind the axis + those of the other axes
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import onnx

from haribote.core.from_onnx.labels import pick_column, wrapped_index
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("Gather")
def gather(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Gather along an axis."""
    x, rows = node.input
    if rows in index.constants:
        return False
    shape, asked, result = index.shape[x], index.shape[rows], node.output[0]
    axis = attributes(node).get("axis", 0) % len(shape)
    behind = len(shape) - axis - 1
    number = _number(builder, index, rows, shape, axis, result)
    if behind and asked:
        axes = np.arange(len(asked), len(asked) + behind)
        number = builder.op("Unsqueeze", number, builder.constant(axes, f"axes_{axes[0]}_{axes[-1]}"), name=result)
    others = [range(size) if k != axis else [0] for k, size in enumerate(shape)]
    place = _strided(others, shape).reshape([*shape[:axis], *[1] * len(asked), *shape[axis + 1 :]])
    return _picked(builder, index, x, rows, number, len(asked), place, result)


@rule("GatherElements")
def gather_elements(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GatherElements: every index has the other axes' indices of its own place."""
    x, rows = node.input
    if pick_column(builder, index, node):
        return True
    if rows in index.constants:
        return False
    shape, asked, result = index.shape[x], index.shape[rows], node.output[0]
    axis = attributes(node).get("axis", 0) % len(shape)
    place = _strided([range(size) if k != axis else [0] for k, size in enumerate(asked)], shape)
    number = _number(builder, index, rows, shape, axis, result)
    return _picked(builder, index, x, rows, number, len(asked), place, result)


@rule("GatherND")
def gather_nd(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GatherND: every row of the indices names a place in the first axes behind those of the batch."""
    x, rows = node.input
    if rows in index.constants:
        return False
    shape, asked, result = index.shape[x], index.shape[rows], node.output[0]
    batch, depth = attributes(node).get("batch_dims", 0), asked[-1]
    behind = shape[batch + depth :]
    number = tuple_numbers(builder, index, rows, shape, batch, f"{result}.number")
    if behind and len(asked) > 1:
        axes = np.arange(len(asked) - 1, len(asked) - 1 + len(behind))
        number = builder.op("Unsqueeze", number, builder.constant(axes, f"axes_{axes[0]}_{axes[-1]}"), name=result)
    parts = [range(size) for size in shape[:batch]] + [[0]] * depth + [range(size) for size in behind]
    ones = [1] * (len(asked) - 1 - batch)
    place = _strided(parts, shape).reshape([*shape[:batch], *ones, *behind])
    return _picked(builder, index, x, rows, number, len(asked) - 1, place, result)


def tuple_numbers(builder: Builder, index: Index, rows: str, shape: Sequence[int], first: int, name: str) -> str:
    """The flat numbers of places that the last axis of the indices names in the axes of `shape` from `first` on."""
    dtype, depth, rank = index.dtype[rows], index.shape[rows][-1], len(index.shape[rows])
    own = shape[first : first + depth]
    sizes = builder.constant(np.array(own, dtype), f"{name}.sizes")
    strides = builder.constant(np.array([prod(shape[first + k + 1 :]) for k in range(depth)], dtype), f"{name}.strides")
    negative = builder.op("Less", rows, builder.scalar(0, dtype), name=f"{name}.negative")
    wrapped = builder.op(
        "Where", negative, builder.op("Add", rows, sizes, name=f"{name}.from_end"), rows, name=f"{name}.rows"
    )
    axes = builder.constant(np.array([rank - 1], np.int64), f"axes_{rank - 1}")
    scaled = builder.op("Mul", wrapped, strides, name=f"{name}.scaled")
    return builder.op("ReduceSum", scaled, axes, name=name, keepdims=0)


def _strided(ranges: Sequence[Sequence[int]], shape: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The flat numbers, in a tensor of a shape, of all combinations of indices along its axes."""
    grids = np.meshgrid(*ranges, indexing="ij")
    return np.asarray(sum(grid * prod(shape[k + 1 :]) for k, grid in enumerate(grids)), np.int64)


def _number(builder: Builder, index: Index, rows: str, shape: Sequence[int], axis: int, result: str) -> str:
    """What indices along an axis add to the flat number."""
    wrapped = wrapped_index(builder, index, rows, shape[axis], f"{result}.rows")
    return _times(builder, wrapped, prod(shape[axis + 1 :]), f"{result}.number")


def _times(builder: Builder, value: str, factor: int, name: str) -> str:
    """A product with a whole number, by doubling: there are no products of integers."""
    total = ""
    while factor:
        if factor & 1:
            total = builder.op("Add", total, value, name=name) if total else value
        factor >>= 1
        if factor:
            value = builder.op("Add", value, value, name=f"{name}.twice")
    return total


def _picked(
    builder: Builder,
    index: Index,
    x: str,
    rows: str,
    number: str,
    rank: int,
    place: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    result: str,
) -> bool:
    """Pick by the numbers, which have `rank` axes of indices, and those of the other axes at their place."""
    if place.any() or place.ndim > min(1, rank):
        constant = builder.constant(place.astype(index.dtype[rows]), f"{result}.place")
        number = builder.op("Add", number, constant, name=f"{result}.index")
    builder.op("Pick", x, number, name=result, reserved=True, fill=0.0)
    return True
