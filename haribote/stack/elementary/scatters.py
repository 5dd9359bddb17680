"""Scatters, as picks of what each element of the result gets:

known indices      ->  data joined with the updates that each element gets, one term after another
computed indices   ->  the same, the terms found by comparing indices with numbers along an axis
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.graph import Builder, Index, attributes
from haribote.stack.elementary.indexing import pick
from haribote.stack.elementary.rules import Rule
from haribote.stack.picks.indices import adjoint, scattered


class Join(NamedTuple):
    """How a reduction of updates is written; neutral: what changes nothing."""

    reduce: str
    join: str
    neutral: float


JOINS = {
    "none": Join("ReduceSum", "", 0.0),
    "add": Join("ReduceSum", "Add", 0.0),
    "max": Join("ReduceMax", "Max", -1e30),
    "min": Join("ReduceMin", "Min", 1e30),
}


def scatter(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """ScatterElements and ScatterND. Without a reduction the last update wins."""
    data, rows, _ = node.input
    given = attributes(node)
    reduction, axis = given.get("reduction", b"none").decode(), None
    if reduction not in JOINS or (index.dtype[data] != np.float32 and reduction not in ("none", "add")):
        return False
    shape = index.shape[data]
    if node.op_type == "ScatterElements":
        axis = given.get("axis", 0) % len(shape)
    if rows in index.constants:
        return _known(builder, index, node, scattered(shape, index.constants[rows], axis), reduction)
    if axis is None or any(a != b for k, (a, b) in enumerate(zip(shape, index.shape[rows], strict=True)) if k != axis):
        return False
    return _computed(builder, index, node, axis, reduction)


def _known(builder: Builder, index: Index, node: onnx.NodeProto, places: NDArray[np.int64], reduction: str) -> bool:
    """Where each update goes is known."""
    (data, _, updates), result = node.input, node.output[0]
    shape = index.shape[data]
    terms = adjoint(places, prod(shape))
    if reduction == "none":  # the last one only
        terms = terms.max(axis=0, keepdims=True)
    join = JOINS[reduction]
    part = f"{result}.updates"
    if len(terms) == 1:
        pick(builder, updates, terms.reshape(shape), part, join.neutral)
    else:
        pick(builder, updates, terms.reshape(-1, *shape), f"{result}.terms", join.neutral)
        axes = builder.constant(np.array([0], np.int64), "axes_0")
        builder.op(join.reduce, f"{result}.terms", axes, name=part, reserved=True, keepdims=0)
    if join.join:
        builder.op(join.join, data, part, name=result, reserved=True)
    else:
        there = builder.constant((terms[0] >= 0).reshape(shape), f"{result}.there")
        builder.op("Where", there, part, data, name=result, reserved=True)
    return True


def _computed(builder: Builder, index: Index, node: onnx.NodeProto, axis: int, reduction: str) -> bool:
    """Every element looks at all updates along the axis."""
    (data, rows, updates), result = node.input, node.output[0]
    shape, join = index.shape[data], JOINS[reduction]
    dtype, count = index.dtype[rows], shape[axis]
    zero, size = builder.scalar(0, dtype), builder.scalar(count, dtype)
    negative = builder.op("Less", rows, zero, name=f"{result}.negative")
    wrapped = builder.op(
        "Where", negative, builder.op("Add", rows, size, name=f"{result}.from_end"), rows, name=f"{result}.rows"
    )
    along = np.arange(count, dtype=dtype).reshape([count if k == axis else 1 for k in range(len(shape) + 1)])
    numbers = builder.constant(along, f"{result}.numbers")
    own = builder.constant(np.array([axis], np.int64), f"axes_{axis}")
    terms = builder.constant(np.array([axis + 1], np.int64), f"axes_{axis + 1}")
    column = builder.op("Unsqueeze", wrapped, own, name=f"{result}.columns")
    equal = builder.op("Equal", column, numbers, name=f"{result}.equal")
    wide = builder.op("Unsqueeze", updates, own, name=f"{result}.wide")
    neutral = builder.scalar(join.neutral, index.dtype[data])
    chosen = builder.op("Where", equal, wide, neutral, name=f"{result}.chosen")
    part = builder.op(join.reduce, chosen, terms, name=f"{result}.updates", keepdims=0)
    if join.join:
        builder.op(join.join, data, part, name=result, reserved=True)
        return True
    hit = builder.op("Cast", equal, name=f"{result}.hit", to=onnx.TensorProto.FLOAT)
    hits = builder.op("ReduceMax", hit, terms, name=f"{result}.hits", keepdims=0)
    there = builder.op("Greater", hits, builder.scalar(0.5), name=f"{result}.there")
    builder.op("Where", there, part, data, name=result, reserved=True)
    return True


SCATTERS: Mapping[str, Rule] = {"ScatterElements": scatter, "ScatterND": scatter}
