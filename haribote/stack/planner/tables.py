"""Rows of a table by computed indices, as sums over all its rows in which all others are 0.

A unit fetches one row after another, and from another unit by way of the trunk. To compare an index with all numbers is
done in all units at once. Nothing but zeros is added, so what is chosen stays as it is (-0 becomes 0).
"""

from __future__ import annotations

from math import prod

import numpy as np

from haribote.core.from_onnx.labels import wrapped_index
from haribote.core.from_onnx.lookups import tuple_numbers
from haribote.core.rewrite import Rewriter

MOST_COMPARED = 3 << 22
"""Pairs of elements that may be compared at once: 3,072 in each PE."""


def looked_through(g: Rewriter) -> str | bool:
    """A Gather, GatherElements or GatherND from a table that is not too large."""
    rule = {"Gather": _gather, "GatherElements": _gather_elements, "GatherND": _gather_nd}.get(g.node.op_type)
    return rule is not None and not g.is_known(1) and g.dtypes[g.node.input[0]] != np.bool_ and rule(g)


def _gather(g: Rewriter) -> str | bool:
    x, rows = g.node.input
    shape, count = g.shapes[x], len(g.shapes[rows])
    axis = g.given.get("axis", 0) % len(shape)
    if _too_many(g, shape[axis]):
        return False
    table = g.wide(x, range(axis, axis + count), part="table") if count else x
    column = g.wide(wrapped_index(g, rows, shape[axis], "rows"), range(count, count + len(shape) - axis), part="column")
    return _sum(g, table, column, shape[axis], len(shape) - axis - 1, axis + count)


def _gather_elements(g: Rewriter) -> str | bool:
    x, rows = g.node.input
    shape = g.shapes[x]
    axis = g.given.get("axis", 0) % len(shape)
    others = [size for k, size in enumerate(shape) if k != axis]
    asked = [size for k, size in enumerate(g.shapes[rows]) if k != axis]
    if _too_many(g, shape[axis]) or asked != others:  # the first places of another axis may be all that are asked for
        return False
    table = g.wide(x, [axis], part="table")
    column = g.wide(wrapped_index(g, rows, shape[axis], "rows"), [axis + 1], part="column")
    return _sum(g, table, column, shape[axis], len(shape) - axis - 1, axis + 1)


def _gather_nd(g: Rewriter) -> str | bool:
    x, rows = g.node.input
    shape, (*asked, depth) = g.shapes[x], g.shapes[rows]
    behind = shape[depth:]
    count = prod(shape[:depth])
    if g.given.get("batch_dims", 0) or _too_many(g, count):
        return False
    axes = range(len(asked), len(asked) + 1 + len(behind))
    column = g.wide(tuple_numbers(g, rows, shape[:depth], 0), axes, part="column")
    table = g.shaped(x, (*[1] * len(asked), count, *behind), part="table")
    return _sum(g, table, column, count, len(behind), len(asked))


def _too_many(g: Rewriter, count: int) -> bool:
    """Whether more is compared than fits. count: of the rows."""
    return prod(g.shapes[g.result]) * count > MOST_COMPARED


def _sum(g: Rewriter, table: str, column: str, count: int, behind: int, axis: int) -> str:
    """What stands along an axis of a table at the numbers in a column, of the table's rank. behind: axes behind it."""
    numbers = np.arange(count, dtype=g.dtypes[g.node.input[1]]).reshape(-1, *[1] * behind)
    equal = g.op("Equal", column, g.constant(numbers, "numbers"), part="equal")
    return g.reduced("ReduceSum", g.op("Where", equal, table, g.number(0, g.node.input[0]), part="chosen"), [axis])
