"""Gathers and scatters, by indices that are known or computed, counted from either end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.growing import COUNT, FLOAT, LABEL, TRUTH, Grower
from haribote.errors import GraphError

REDUCTIONS = ("none", "add", "max", "min", "mul")


def _indices(g: Grower, shape: tuple[int, ...], size: int, kinds: Sequence[str] = (LABEL, LABEL, COUNT)) -> str:
    """Places along an axis: an input, a constant, or what is computed."""
    least = -size if g.random.random() < 0.3 else 0
    name = g.input(shape, g.random.choice(kinds), size, least)
    if g.random.random() < 0.2:
        g.add("Add", name, g.builder.scalar(0, g.values[name].dtype))
        return next(reversed(g.values))
    return name


def _gather(g: Grower) -> None:
    x = g.any(1)
    axis = g.axis(x)
    index = _indices(g, g.shape(g.random.choice((0, 1, 1, 2)), 64), g.values[x].shape[axis])
    g.add("Gather", x, index, axis=g.said(x, axis))


def _gather_by_arg(g: Grower) -> None:
    """Rows that the graph itself has chosen."""
    x = g.some(exact=True, least=2)
    axis = g.axis(x)
    g.add("ArgMax", x, axis=axis, keepdims=0)
    index = next(reversed(g.values))
    g.add("Gather", g.input((g.values[x].shape[axis], g.random.choice((1, 3, 16)))), index)


def _gather_elements(g: Grower) -> None:
    x = g.any(1)
    axis = g.axis(x)
    shape = [g.random.choice((size, size, max(1, size - 1))) for size in g.values[x].shape]
    shape[axis] = g.random.choice((1, 1, 2, 5))
    index = _indices(g, tuple(shape), g.values[x].shape[axis])
    g.add("GatherElements", x, index, axis=g.said(x, axis))


def _gather_nd(g: Grower) -> None:
    x = g.any(1)
    shape = g.values[x].shape
    batch = g.random.choice((0, 0, g.random.randrange(len(shape))))
    depth = g.random.randint(1, len(shape) - batch)
    outer = g.random.choice(((), (1,), (4,), (7,), (2, 3)))
    index = _indices(g, (*shape[:batch], *outer, depth), min(shape[batch : batch + depth]))
    g.add("GatherND", x, index, batch_dims=batch)


def _scatter_elements(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL, COUNT)), least=1)
    axis, shape = g.axis(x), g.values[x].shape
    own = [g.random.choice((size, size, max(1, size - 1))) for size in shape]
    own[axis] = min(shape[axis], g.random.choice((1, 2, shape[axis])))
    index = _indices(g, tuple(own), shape[axis])
    reduction = g.random.choice(REDUCTIONS)
    numbers = np.sort(g.values[index] % shape[axis], axis)
    if reduction == "none" and (np.diff(numbers, axis=axis) == 0).any():
        raise GraphError("which of two updates of an element stays is not said")
    updates = g.input(own, g.values[x].dtype.name)
    g.add("ScatterElements", x, index, updates, axis=g.said(x, axis), reduction=reduction)


def _scatter_rows(g: Grower) -> None:
    """ScatterElements that replaces whole rows, each once."""
    x = g.any(1)
    axis, shape = g.axis(x), g.values[x].shape
    count = g.random.randint(1, shape[axis])
    rows = np.array(g.random.sample(range(shape[axis]), count))
    own = [count if k == axis else size for k, size in enumerate(shape)]
    index = np.broadcast_to(rows.reshape([-1 if k == axis else 1 for k in range(len(shape))]), own)
    name = g.given(np.ascontiguousarray(index.astype(np.int64)))
    reduction = "none" if g.values[x].dtype == TRUTH else g.random.choice(("none", "add"))
    g.add("ScatterElements", x, name, g.input(own, g.values[x].dtype.name), axis=g.said(x, axis), reduction=reduction)


def _scatter_nd(g: Grower) -> None:
    x = g.some(g.random.choice((FLOAT, FLOAT, LABEL, COUNT)), least=1)
    shape = g.values[x].shape
    depth = g.random.randint(1, len(shape))
    outer = g.random.choice(((1,), (3,), (5,), (2, 2)))
    index = _indices(g, (*outer, depth), min(shape[:depth]), (LABEL,))
    reduction = g.random.choice(REDUCTIONS)
    places = [tuple(row) for row in (g.values[index] % np.array(shape[:depth])).reshape(-1, depth).tolist()]
    if reduction == "none" and len(set(places)) < len(places):
        raise GraphError("which of two updates of an element stays is not said")
    g.add("ScatterND", x, index, g.input((*outer, *shape[depth:]), g.values[x].dtype.name), reduction=reduction)


def _one_hot(g: Grower) -> None:
    depth = g.random.choice((1, 2, 5, 10, 33))
    values = np.array(g.random.choice(([0, 1], [0, 1], [1, 0], [-1.5, 2])), g.random.choice((FLOAT, FLOAT, LABEL)))
    shape = g.shape(g.random.choice((0, 1, 1, 2)), 100)
    labels = _indices(g, shape, depth)
    axis: dict[str, Any] = {"axis": g.random.choice((-1, -1, 0, len(shape)))} if g.random.random() < 0.8 else {}
    said = g.random.choice((g.number(depth), g.constant(depth)))
    g.add("OneHot", labels, said, g.builder.constant(values, "k"), **axis)


ALL = (
    _gather, _gather_by_arg, _gather_elements, _gather_nd, _scatter_elements, _scatter_rows, _scatter_nd, _one_hot,
)  # fmt: skip
