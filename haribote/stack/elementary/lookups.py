"""Gathers whose indices are computed, as Pick by flat numbers that are computed of them:

number = (index, or index + size where it is negative) * elements behind the axis + those of the other axes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.rules import Rule


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
    return _picked(builder, index, x, rows, number, place, result)


def gather_elements(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """GatherElements: every index has the other axes' indices of its own place."""
    x, rows = node.input
    if rows in index.constants:
        return False
    shape, asked, result = index.shape[x], index.shape[rows], node.output[0]
    axis = attributes(node).get("axis", 0) % len(shape)
    place = _strided([range(size) if k != axis else [0] for k, size in enumerate(asked)], shape)
    return _picked(builder, index, x, rows, _number(builder, index, rows, shape, axis, result), place, result)


def _strided(ranges: Sequence[Sequence[int]], shape: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The flat numbers, in a tensor of a shape, of all combinations of indices along its axes."""
    grids = np.meshgrid(*ranges, indexing="ij")
    return np.asarray(sum(grid * prod(shape[k + 1 :]) for k, grid in enumerate(grids)), np.int64)


def _number(builder: Builder, index: Index, rows: str, shape: Sequence[int], axis: int, result: str) -> str:
    """What indices along an axis add to the flat number."""
    dtype = index.dtype[rows]
    zero, size = builder.scalar(0, dtype), builder.scalar(shape[axis], dtype)
    negative = builder.op("Less", rows, zero, name=f"{result}.negative")
    from_end = builder.op("Add", rows, size, name=f"{result}.from_end")
    wrapped = builder.op("Where", negative, from_end, rows, name=f"{result}.rows")
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
    place: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
    result: str,
) -> bool:
    if place.any() or place.ndim > 1:
        constant = builder.constant(place.astype(index.dtype[rows]), f"{result}.place")
        number = builder.op("Add", number, constant, name=f"{result}.index")
    builder.op("Pick", x, number, name=result, reserved=True, fill=0.0)
    return True


LOOKUPS: Mapping[str, Rule] = {"Gather": gather, "GatherElements": gather_elements}
"""What applies where indices are not known."""
