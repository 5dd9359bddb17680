"""Products: contractions of any axes, as products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering, rule, wider

Axes = tuple[Sequence[int], Sequence[int]]


@rule("dot_general")
def dot_general(g: Lowering, x: Value, y: Value, dimension_numbers: tuple[Axes, Axes]) -> Held:
    """Axes that both have (batch), then those of x alone, then those of y alone; the others are summed over.

    [batch, rows, summed] @ [batch, summed, columns], the axes of each kind flattened to one.
    """
    (summed_x, summed_y), (batch_x, batch_y) = dimension_numbers
    rows = [k for k in range(len(x.shape)) if k not in (*summed_x, *batch_x)]
    columns = [k for k in range(len(y.shape)) if k not in (*summed_y, *batch_y)]
    left = _matrix(g, x, batch_x, rows, summed_x)
    right = _matrix(g, y, batch_y, summed_y, columns)
    if x.dtype.kind in "biu":
        left, right = (g.cast(side, wider(g.result.dtype)) for side in (left, right))
    shape = (*left.shape[:-1], right.shape[-1])
    product = Held(g.node("MatMul", left.name, right.name), shape)
    return g.narrowed(g.reshaped(product, g.result.shape), g.result.dtype)


def _matrix(g: Lowering, x: Value, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]) -> Held:
    """[batch, rows, columns]; without batch [rows, columns]."""
    groups = (batch, rows, columns)
    shape = tuple(prod(x.shape[k] for k in group) for group in groups)
    order = [k for group in groups for k in group]
    held = Held(g.full(x), x.shape)
    moved = [k for k in order if x.shape[k] != 1]
    if moved != sorted(moved):
        name = g.node("Transpose", held.name, perm=order, part="turned")
        held = Held(name, tuple(x.shape[k] for k in order))
    return g.reshaped(held, shape if batch else shape[1:])
