"""Numbers of classes and places, compared with 0, 1, 2, …

OneHot(labels)              ->  Cast(Equal(labels as a column, 0 1 2 …))
"""

from __future__ import annotations

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter
from haribote.graph import has_labels, mark_labels

SHORT = 16
"""Elements of a row that is looked through as a whole for one of them."""


def wrapped_index(g: Rewriter, rows: str, count: int, part: str) -> str:
    """Indices along an axis, those that count from its end made positive."""
    negative = g.op("Less", rows, g.number(0, rows), part=f"{part}.negative")
    from_end = g.op("Add", rows, g.number(count, rows), part=f"{part}.from_end")
    result = g.op("Where", negative, from_end, rows, part=part)
    g.dtypes[result], g.shapes[result] = g.dtypes[rows], g.shapes[rows]
    return result


def _counted(g: Rewriter, indices: str, size: int) -> str:
    """Indices, those that count from the end of an axis made positive where there may be some."""
    if has_labels(g.node) or not np.issubdtype(g.dtypes[indices], np.signedinteger):
        return indices
    return wrapped_index(g, indices, size, "rows")


def _compared(g: Rewriter, labels: str, shape: tuple[int, ...], like: str, part: str = "") -> str:
    """1 where a column's number is the row's label, else 0; of the type of a value."""
    whole, rank = shape[-1], len(shape)
    column = labels if g.shapes[labels] == (*shape[:-1], 1) else g.wide(labels, [rank - 1], part="labels")
    numbers = g.builder.constant(np.arange(whole, dtype=g.dtypes[labels]), f"numbers_{whole}")
    equal = g.op("Equal", column, numbers, part="equal")
    mark_labels(g.builder.model.graph.node[-1])  # no label, nor an index made positive, is the least integer
    return g.cast(equal, g.dtypes[like], part=part)


@rule("OneHot")
def one_hot(g: Rewriter) -> str | bool:
    """OneHot; of ones and zeros without a choice between two values."""
    shape, values = g.shapes[g.result], g.index.constants.get(g.node.input[2])
    last = g.given.get("axis", -1) in (-1, len(shape) - 1)
    if values is None or list(values) != [0, 1] or not last:
        return _any_values(g)
    return _compared(g, _counted(g, g.node.input[0], shape[-1]), shape, g.result)


def _any_values(g: Rewriter) -> str:
    """OneHot along any axis, of any two values."""
    (labels, _, values), shape = g.node.input, g.shapes[g.result]
    axis = g.given.get("axis", -1) % len(shape)
    column = g.wide(wrapped_index(g, labels, shape[axis], "labels"), [axis], part="column")
    numbers = g.numbers(shape[axis], axis, len(shape), g.dtypes[labels])
    equal = g.op("Equal", column, numbers, part="equal")
    off, on = (g.pick(values, np.array(number, np.int64), part=part) for number, part in enumerate(("off", "on")))
    return g.op("Where", equal, on, off)


def pick_column(g: Rewriter) -> str | bool:
    """One element of every row, as a sum over the row in which the others are 0: rows of matrices, [n, 1], and short
    ones along any axis.
    """
    x, column = g.node.input
    shape = g.shapes[x]
    axis = g.given.get("axis", 0) % len(shape)
    one_each = g.shapes[column] == (*shape[:axis], 1, *shape[axis + 1 :])
    matrix = len(shape) == 2 and axis == 1
    if not one_each or g.dtypes[x] == np.bool_ or not (matrix or shape[axis] <= SHORT):
        return False
    if matrix:
        onehot = _compared(g, _counted(g, column, shape[1]), shape, x, part="onehot")
        return g.reduced("ReduceSum", g.op("Mul", x, onehot, part="chosen"), [1], keepdims=1)
    places = _counted(g, column, shape[axis])
    equal = g.op("Equal", places, g.numbers(shape[axis], axis, len(shape), g.dtypes[column]), part="equal")
    chosen = g.op("Where", equal, x, g.number(0, x), part="chosen")
    return g.reduced("ReduceSum", chosen, [axis], keepdims=1)
