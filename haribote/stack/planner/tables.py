"""Rows of a table by computed indices, as sums over all its rows in which all others are 0.

Rows that lie in other units would have to be fetched one after another; an index is compared with the numbers of all
rows in all units at once. Nothing but zeros is added, so what is chosen stays as it is (-0 becomes 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from haribote.core.from_onnx.labels import pick_column, wrapped_index
from haribote.core.from_onnx.lookups import tuple_numbers
from haribote.core.rewrite import Rewriter, Rule

MOST_COMPARED = 3 << 22
"""Pairs of elements that may be compared at once: 3,072 in each PE."""


def _rows(g: Rewriter) -> str | bool:
    """Gather."""
    x, rows = g.node.input
    shape, count = g.shapes[x], len(g.shapes[rows])
    axis = g.given.get("axis", 0) % len(shape)
    if not _suits(g, shape[axis]):
        return False
    table = g.wide(x, range(axis, axis + count), part="table") if count else x
    return _along(g, table, axis, range(count, count + len(shape) - axis), axis + count)


def _elements(g: Rewriter) -> str | bool:
    """GatherElements; where other axes give their first places only, these are fetched."""
    if found := pick_column(g):
        return found
    x, rows = g.node.input
    shape = g.shapes[x]
    axis = g.given.get("axis", 0) % len(shape)
    others, asked = ([size for k, size in enumerate(g.shapes[name]) if k != axis] for name in (x, rows))
    if asked != others or not _suits(g, shape[axis]):
        return False
    return _along(g, g.wide(x, [axis], part="table"), axis, [axis + 1], axis + 1)


def _along(g: Rewriter, table: str, axis: int, axes: Sequence[int], at: int) -> str:
    """What stands along an axis of what is read. table: with that axis at `at`; axes: more ones of the indices."""
    x, rows = g.node.input
    shape = g.shapes[x]
    column = g.wide(wrapped_index(g, rows, shape[axis], "rows"), axes, part="column")
    return _sum(g, table, column, shape[axis], len(shape) - axis - 1, at)


def _tuples(g: Rewriter) -> str | bool:
    """GatherND without axes of a batch."""
    x, rows = g.node.input
    shape, (*asked, depth) = g.shapes[x], g.shapes[rows]
    count, behind = prod(shape[:depth]), shape[depth:]
    if g.given.get("batch_dims", 0) or not _suits(g, count):
        return False
    axes = range(len(asked), len(asked) + 1 + len(behind))
    column = g.wide(tuple_numbers(g, rows, shape[:depth], 0), axes, part="column")
    table = g.shaped(x, (*[1] * len(asked), count, *behind), part="table")
    return _sum(g, table, column, count, len(behind), len(asked))


LOOKED_THROUGH: Mapping[str, Rule] = {"Gather": _rows, "GatherElements": _elements, "GatherND": _tuples}
"""Rules for indices that are computed and tables that are not too large; False for others."""


def _suits(g: Rewriter, count: int) -> bool:
    """Whether a table of so many rows is looked through."""
    few = prod(g.shapes[g.result]) * count <= MOST_COMPARED
    return few and not g.is_known(1) and g.dtypes[g.node.input[0]] != np.bool_


def _sum(g: Rewriter, table: str, column: str, count: int, behind: int, axis: int) -> str:
    """What stands along an axis of a table at the numbers in a column, of the table's rank. behind: axes behind it."""
    numbers = np.arange(count, dtype=g.dtypes[g.node.input[1]]).reshape(-1, *[1] * behind)
    equal = g.op("Equal", column, g.constant(numbers, "numbers"), part="equal")
    return g.reduced("ReduceSum", g.op("Where", equal, table, g.number(0, g.node.input[0]), part="chosen"), [axis])
