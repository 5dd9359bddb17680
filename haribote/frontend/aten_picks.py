"""The lowering rules of what reads or writes elements by computed indices; see `haribote.frontend.aten`."""

from __future__ import annotations

import torch
from onnx import TensorProto, helper

from haribote.frontend.aten import Lowering, Scalar, aten, rule
from simulator.messages import tr


@rule(aten.embedding.default)
def _embedding(
    g: Lowering, table: str, rows: str, padding: int = -1, by_freq: bool = False, sparse: bool = False
) -> str:
    return g.op("Gather", table, rows, axis=0)


@rule(aten.index_select.default, lists=True)
def _index_select(g: Lowering, x: str, dim: int, index: str) -> str:
    return g.op("Gather", x, index, axis=dim % len(g.shapes[x]))


@rule(aten.index.Tensor, aten._unsafe_index.Tensor)
def _index(g: Lowering, x: str, indices: list[str | None]) -> str:
    named = [axis for axis, index in enumerate(indices) if index is not None]
    g.require(len(named) == 1, tr("only one axis may be indexed by a tensor, received {named}", len(named)))
    index = indices[named[0]]
    assert index is not None
    g.require(g.types[index] != torch.bool, tr("a mask picks a number of elements that only its values tell"))
    return g.op("Gather", x, index, axis=named[0])


@rule(aten.gather.default, lists=True)
def _gather(g: Lowering, x: str, dim: int, index: str, *, sparse_grad: bool = False) -> str:
    shape, asked = g.shapes[x], g.shapes[index]
    axis = dim % len(shape)
    others = [k for k in range(len(shape)) if k != axis and shape[k] != asked[k]]
    if others:
        ends = g.ints([0] * len(others), "at"), g.ints([asked[k] for k in others], "at")
        x = g.op("Slice", x, *ends, g.ints(others, "axes"), part="slice")
    return g.op("GatherElements", x, index, axis=axis)


def _scatter(g: Lowering, x: str, dim: int, index: str, updates: str, reduction: str = "none") -> str:
    asked = g.shapes[index]
    if asked != g.shapes[updates]:
        ends = g.ints([0] * len(asked), "at"), g.ints(list(asked), "at")
        updates = g.op("Slice", updates, *ends, part="slice")
    return g.op("ScatterElements", x, index, updates, axis=dim % len(asked), reduction=reduction)


rule(aten.scatter.src, lists=True)(_scatter)


@rule(aten.scatter.value, lists=True)
def _scatter_value(g: Lowering, x: str, dim: int, index: str, value: Scalar) -> str:
    updates = g.op("Expand", g.value(value), g.ints(list(g.shapes[index]), "shape"), part="updates")
    g.shapes[updates] = g.shapes[index]
    return _scatter(g, x, dim, index, updates)


@rule(aten.scatter_add.default, lists=True)
def _scatter_add(g: Lowering, x: str, dim: int, index: str, src: str) -> str:
    return _scatter(g, x, dim, index, src, "add")


REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
"""torch's names of reductions and ONNX's."""


@rule(aten.scatter_reduce.two, lists=True)
def _scatter_reduce(
    g: Lowering, x: str, dim: int, index: str, src: str, reduce: str, *, include_self: bool = True
) -> str:
    g.require(
        include_self and reduce in REDUCTIONS,
        tr("a scatter with reduce={reduce!r}, include_self={include}", reduce, include_self),
    )
    return _scatter(g, x, dim, index, src, REDUCTIONS[reduce])


@rule(aten.topk.default, lists=True)
def _topk(g: Lowering, x: str, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[str, str]:
    """Values and places."""
    names = [g.builder.fresh(g.results.get(number, f"{g.result}.{number}")) for number in (0, 1)]
    return _ordered(g, x, k, dim % len(g.shapes[x]), largest, names[0], names[1])


def _ordered(g: Lowering, x: str, k: int, axis: int, largest: bool, values: str, places: str) -> tuple[str, str]:
    node = helper.make_node(
        "TopK", [x, g.ints([k], "k")], [values, places], values, axis=axis, largest=int(largest), sorted=1
    )
    g.builder.keep(node)
    return values, places


@rule(aten.sort.default, aten.sort.stable, lists=True)
def _sort(
    g: Lowering, x: str, dim: int = -1, descending: bool = False, *, stable: bool | None = None
) -> tuple[str, str]:
    """As `topk` of all, which keeps the order of those that are equal; bools as numbers on the way."""
    shape, of_bool = g.shapes[x], g.types[x] == torch.bool
    axis = dim % len(shape)
    values, places = (g.builder.fresh(g.results.get(number, f"{g.result}.{number}")) for number in (0, 1))
    if not of_bool:
        return _ordered(g, x, shape[axis], axis, descending, values, places)
    words = g.builder.fresh(f"{g.result}.words")
    _ordered(g, g.value(x, torch.int32), shape[axis], axis, descending, words, places)
    return g.builder.op("Cast", words, name=values, to=int(TensorProto.BOOL)), places
