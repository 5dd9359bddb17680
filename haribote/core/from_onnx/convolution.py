"""Convolutions as products of windows and weights.

    Conv(x, w)            ->  Einsum(windows of x [n, h, w, k], w [m, k]), where k counts channels and places
    ConvTranspose(x, w)   ->  the same, with windows between whose elements there are zeros

The gradient of a weight is a convolution where batch and channels have changed places. It sees the windows that the
forward convolution sees, so these are picked once, and k is what is left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.from_onnx.windows import Along, adjoint_windows_of, columns, windows_of
from haribote.core.rewrite import Rewriter
from haribote.graph import turned


@rule("Conv")
def convolution(g: Rewriter) -> str | bool:
    """Conv."""
    x, w = g.node.input[:2]
    parts = windows_of(g.node, g.shapes[x][2:], g.shapes[w][2:], g.shapes[g.result][2:])
    root = _exchanged(g, x)
    if root is None or _groups(g) > 1:
        return _biased(g, _product(g, parts, w))
    return _biased(g, _gradient(g, parts, root))


@rule("ConvTranspose")
def transposed(g: Rewriter) -> str | bool:
    """ConvTranspose: every element of the result sees those whose windows it is in."""
    x, weight = g.node.input[:2]
    w, groups, first = g.shapes[weight], _groups(g), [1, 0]
    parts = adjoint_windows_of(g.node, g.shapes[g.result][2:], w[2:], g.shapes[x][2:])
    if groups > 1:
        weight, first = g.shaped(weight, (groups, w[0] // groups, *w[1:]), part="weight.groups"), [0, 2, 1]
    order = [*first, *range(len(first), len(first) + len(parts))]
    return _biased(g, _product(g, parts, g.op("Transpose", weight, part="weight", perm=order)))


def _product(g: Rewriter, parts: Sequence[Along], weight: str) -> str:
    """The windows times the weight [m, c, places]; in each group its own channels and results."""
    groups = _groups(g)
    windows, there = columns(g, g.node.input[0], parts, swapped=False, groups=groups)
    (n, m, *sizes), outer = g.shapes[g.result], "hijk"[: len(parts)]
    count = prod(g.shapes[g.node.input[1]]) // m
    shape = (m, len(there)) if groups == 1 else (groups, m // groups, len(there))
    if not np.array_equal(there, np.arange(count)):
        places = np.where(there < 0, -1, there + np.arange(m)[:, None] * count)
        rows = g.pick(weight, places.reshape(shape), part="rows")
    else:
        rows = g.shaped(weight, shape, part="rows")
    if groups == 1:
        return g.op("Einsum", windows, rows, part=_sum(g), equation=f"n{outer}z,mz->nm{outer}")
    found = g.op("Einsum", windows, rows, part="groups", equation=f"n{outer}gz,gmz->ngm{outer}")
    return g.shaped(found, (n, m, *sizes), part=_sum(g))


def _groups(g: Rewriter) -> int:
    return int(g.given.get("group", 1))


def _gradient(g: Rewriter, parts: Sequence[Along], root: str) -> str:
    """The windows of a root [n, c, …], of which node's image is [c, n, …], times a kernel [m, n, places]."""
    windows, there = columns(g, root, parts, swapped=True)
    c, m, *out = g.shapes[g.result]
    inner = "pqrs"[: len(parts)]
    found = g.op("Einsum", windows, g.node.input[1], part="columns", equation=f"n{inner}z,mn{inner}->zm")
    rows = np.argsort(there)[(there < 0).sum() :, None] * m + np.arange(m)
    places = g.pick(found, rows.reshape(c, *out, m), part="places")
    return g.op("Transpose", places, part=_sum(g), perm=[0, len(out) + 1, *range(1, len(out) + 1)])


def _exchanged(g: Rewriter, name: str) -> str | None:
    """What a value is with its first two axes exchanged, None where it is not made so."""
    producer, rank = g.maker(name, "Transpose"), len(g.shapes[name])
    return producer.input[0] if producer and turned(producer, rank) == [1, 0, *range(2, rank)] else None


def _sum(g: Rewriter) -> str:
    """The part that the result without the bias is, "" where there is no bias."""
    return "product" if g.input(2) else ""


def _biased(g: Rewriter, product: str) -> str:
    """The product with the bias [m], if there is one."""
    rank = len(g.shapes[g.result]) - 2
    return g.op("Add", product, g.wide(g.input(2), range(1, rank + 1), part="bias")) if g.input(2) else product
