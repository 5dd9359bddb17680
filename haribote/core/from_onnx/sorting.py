"""Sorting, as comparisons of every element with every other along an axis.

TopK(x)  ->  an element's rank is how many come before it; each place takes the element of that rank
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@rule("TopK")
def top_k(g: Rewriter) -> str | bool:
    """TopK; equal elements come in the order of their indices."""
    x, shape = g.node.input[0], g.shapes[g.node.input[0]]
    axis, rank = g.given.get("axis", -1) % len(shape), len(shape) + 1
    size, count = shape[axis], g.shapes[g.result][axis]

    def along(length: int, at: int) -> NDArray[np.int32]:
        return np.arange(length, dtype=np.int32).reshape([-1 if k == at else 1 for k in range(rank)])

    other, own = g.wide(x, [axis + 1], part="other"), g.wide(x, [axis], part="own")
    earlier = g.constant(along(size, axis) < along(size, axis + 1), "earlier")
    ahead = g.op("Greater" if g.given.get("largest", 1) else "Less", other, own, part="ahead")
    tie = g.op("And", g.op("Equal", other, own, part="level"), earlier, part="tie")
    before = g.cast(g.op("Or", ahead, tie, part="before"), np.int32, part="one")
    ranks = g.wide(g.reduced("ReduceSum", before, [axis], part="rank"), [axis], part="ranks")
    here = g.op("Equal", ranks, g.constant(along(count, axis), "places"), part="here")
    numbers = g.constant(along(size, axis + 1).astype(np.int64), "numbers")
    for name, what in zip(g.node.output, (own, numbers), strict=False):
        if name:
            chosen = g.op("Where", here, what, g.number(0, name), part="chosen")
            g.reduced("ReduceSum", chosen, [axis + 1], name=name)
    return True
