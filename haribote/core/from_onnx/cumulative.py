"""Running sums: a product with a triangle of ones; of integers, sums of sums."""

from __future__ import annotations

from math import prod

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@rule("CumSum")
def running_sum(g: Rewriter) -> str | bool:
    """CumSum along an axis that is known: a product with a triangle of ones; of integers, sums of sums."""
    x = g.node.input[0]
    if not g.is_known(1):
        return False
    rank = len(g.shapes[x])
    if not rank:
        return not g.given.get("exclusive", 0) and g.op("Identity", x)
    axis = int(g.index.constants[g.node.input[1]].item()) % rank
    if g.dtypes[x] != np.float32:
        return _doubled(g, axis)
    ones = np.tri(g.shapes[x][axis], k=-1 if g.given.get("exclusive", 0) else 0, dtype=np.float32)
    if g.given.get("reverse", 0):
        ones = np.ascontiguousarray(ones.T)
    return g.times(x, g.constant(ones, "triangle"), axis, rank)


def _doubled(g: Rewriter, axis: int) -> str:
    """Every element plus the one 1 before it, then 2, 4, … before it: there are no products of integers."""
    value = g.node.input[0]
    shape = g.shapes[value]

    def before(name: str, distance: int) -> str:
        along = np.arange(shape[axis]) + (distance if g.given.get("reverse", 0) else -distance)
        places = np.arange(prod(shape)).reshape(shape).take(along, axis, mode="clip")
        there = ((along >= 0) & (along < shape[axis])).reshape([-1 if k == axis else 1 for k in range(len(shape))])
        return g.pick(name, np.where(there, places, -1), part=f"before_{distance}")

    if g.given.get("exclusive", 0):
        value = before(value, 1)
    distance = 1
    while distance < shape[axis]:
        value = g.op("Add", value, before(value, distance), part=f"sum_{distance}")
        distance *= 2
    return g.op("Identity", value)
