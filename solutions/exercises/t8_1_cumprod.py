"""Task 8.1: a rule for cumprod (running products by doubling: as many products as the size has bits)."""

from __future__ import annotations

import torch

from haribote.frontend.aten import Lowering
from haribote.frontend.aten_reduction import shifted


def cumprod(g: Lowering, x: str, dim: int, *, dtype: torch.dtype | None = None) -> str:
    """Add the ONNX nodes of torch.cumprod(x, dim), and return the name of the result.

    x: the name of a value of shape `g.shape`, with one axis or more; dim: the axis, which may be counted from the end.
    Element i of the result is the product of the elements 0 to i along that axis. Use at most as many `Mul` nodes as
    doubling needs: 1 for 2 elements, 2 for up to 4, 3 for up to 8, ... With a single element the result is x itself.
    Begin with `g.value(x)`, which is x in the type of the result. `shifted(g, value, axis, places, size)` is a value
    whose elements along `axis`, which has `size` of them, have moved `places` on, with ones before them; `places` is
    less than `size`, and axis is counted from 0. Every node but the last one needs a `part="..."` of its own; `dtype`
    need not be looked at. Import `shifted` from haribote.frontend.aten_reduction.
    """
    ### BEGIN SOLUTION
    axis, total, places = dim % len(g.shape), g.value(x), 1
    size = g.shape[axis]
    while places < size:
        moved = shifted(g, total, axis, places, size)
        places *= 2
        total = g.op("Mul", total, moved, part=f"before{places}" if places < size else "")
    return total
    ### END SOLUTION
