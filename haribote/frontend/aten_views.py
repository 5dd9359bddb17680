"""The lowering rules of what only moves elements: views, parts, joins; see `haribote.frontend.aten`."""

from __future__ import annotations

from typing import Any

import numpy as np

from haribote.frontend.aten import Lowering, Scalar, aten, rule

END = np.iinfo(np.int64).max
"""Behind the last element of any axis."""


@rule(
    aten.detach.default,
    aten.clone.default,
    aten.alias.default,
    aten.lift_fresh_copy.default,
)
def _same(g: Lowering, x: str, **_: Any) -> str:
    return x


@rule(aten.t.default)
def _t(g: Lowering, x: str) -> str:
    return g.op("Transpose", x, perm=[1, 0]) if len(g.shapes[x]) == 2 else x


@rule(aten.permute.default)
def _permute(g: Lowering, x: str, dims: list[int]) -> str:
    return g.op("Transpose", x, perm=[dim % len(dims) for dim in dims]) if dims else x


@rule(aten.transpose.int)
def _transpose(g: Lowering, x: str, first: int, second: int) -> str:
    order = list(range(len(g.shapes[x])))
    if not order:
        return x
    order[first], order[second] = order[second], order[first]
    return g.op("Transpose", x, perm=order)


@rule(
    aten.view.default,
    aten._unsafe_view.default,
    aten.unsqueeze.default,
    aten.squeeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
)
def _as_shape(g: Lowering, x: str, *_: Any) -> str:
    return g.shaped(x, g.shape)


@rule(aten.expand.default)
def _expand(g: Lowering, x: str, sizes: list[int], **_: Any) -> str:
    return x if g.shapes[x] == g.shape else g.op("Expand", x, g.ints(list(g.shape), "shape"))


@rule(aten.repeat.default)
def _repeat(g: Lowering, x: str, times: list[int]) -> str:
    shape = g.shapes[x]
    if len(times) > len(shape):
        wide = [1] * (len(times) - len(shape)) + list(shape)
        x = g.shaped(x, wide, part="wide")
    return g.op("Tile", x, g.ints(times, "times"))


@rule(aten.slice.Tensor)
def _slice(g: Lowering, x: str, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> str:
    shape = g.shapes[x]
    axis = dim % len(shape)
    if g.shape == shape:
        return x
    bounds = [g.ints([value], "at") for value in (start or 0, END if end is None else end)]
    return g.op("Slice", x, *bounds, g.ints([axis], "axes"), g.ints([step], "step"))


@rule(aten.select.int)
def _select(g: Lowering, x: str, dim: int, index: int) -> str:
    shape = g.shapes[x]
    axis = dim % len(shape)
    at = index % shape[axis]
    part = g.op("Slice", x, g.ints([at], "at"), g.ints([at + 1], "at"), g.ints([axis], "axes"), part="slice")
    return g.shaped(part, g.shape)


@rule(aten.flip.default)
def _flip(g: Lowering, x: str, dims: list[int]) -> str:
    if not dims:
        return x
    axes = [dim % len(g.shapes[x]) for dim in dims]
    ends = [[-1] * len(axes), [-END] * len(axes)]
    return g.op("Slice", x, *(g.ints(end, "at") for end in ends), g.ints(axes, "axes"), g.ints(ends[0], "step"))


@rule(aten.cat.default)
def _cat(g: Lowering, tensors: list[str], dim: int = 0) -> str:
    parts = [g.value(x) for x in tensors if g.shapes[x] != (0,)] or [g.value(tensors[0])]
    return g.op("Concat", *parts, axis=dim % len(g.shape)) if len(parts) > 1 else parts[0]


@rule(aten.stack.default)
def _stack(g: Lowering, tensors: list[str], dim: int = 0) -> str:
    axis = dim % len(g.shape)
    wide = [*g.shape[:axis], 1, *g.shape[axis + 1 :]]
    parts = [g.shaped(g.value(x), wide, part=f"part{k}") for k, x in enumerate(tensors)]
    return g.op("Concat", *parts, axis=axis) if len(parts) > 1 else parts[0]


def _cut(g: Lowering, x: str, sizes: list[int], dim: int) -> tuple[str | None, ...]:
    """The parts of x of these sizes, one behind the other, those that have a reader."""
    base, axis, start = g.result, dim % len(g.shapes[x]), 0
    wanted = {int(str(user.args[1])) for user in g.node.users}
    found: list[str | None] = []
    for position, size in enumerate(sizes):
        g.result = g.results.get(position, f"{base}.{position}")
        bounds = g.ints([start], "at"), g.ints([start + size], "at")
        found.append(g.op("Slice", x, *bounds, g.ints([axis], "axes")) if position in wanted else None)
        start += size
    return tuple(found)


@rule(aten.split_with_sizes.default)
def _split_with_sizes(g: Lowering, x: str, sizes: list[int], dim: int = 0) -> tuple[str | None, ...]:
    return _cut(g, x, sizes, dim)


@rule(aten.split.Tensor)
def _split(g: Lowering, x: str, size: int, dim: int = 0) -> tuple[str | None, ...]:
    return _cut(g, x, [tuple(part.shape)[dim] for part in g.node.meta["val"]], dim)


@rule(aten.unbind.int)
def _unbind(g: Lowering, x: str, dim: int = 0) -> tuple[str | None, ...]:
    parts = _cut(g, x, [1] * g.shapes[x][dim], dim)
    return tuple(part and g.shaped(part, g.shape, part=f"{k}") for k, part in enumerate(parts))


@rule(aten.constant_pad_nd.default)
def _pad(g: Lowering, x: str, pad: list[int], value: Scalar = 0) -> str:
    """Torch begins with the last axis; a negative width cuts."""
    rank = len(g.shapes[x])
    widths = [(0, 0)] * (rank - len(pad) // 2) + list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    return _placed(g, x, widths, value)


def _placed(g: Lowering, x: str, widths: list[tuple[int, int]], value: Scalar = 0) -> str:
    """X with so many elements of that value before and behind, on every axis."""
    ends = [before for before, _ in widths] + [behind for _, behind in widths]
    return g.op("Pad", x, g.ints(ends, "pads"), g.value(value))


def _around(shape: tuple[int, ...], axis: int, start: int, size: int) -> list[tuple[int, int]]:
    """The widths beside a part of that size of a tensor of that shape."""
    rest = shape[axis] - start - size
    return [(start, rest) if k == axis else (0, 0) for k in range(len(shape))]


@rule(aten.slice_backward.default)
def _slice_backward(g: Lowering, grad: str, sizes: list[int], dim: int, start: int, end: int, step: int) -> str:
    axis = dim % len(sizes)
    places = range(sizes[axis])[start:end:step]
    count = len(places)
    if step == 1:
        return _placed(g, grad, _around(tuple(sizes), axis, places.start, count))
    return _spread(g, grad, axis, sizes[axis], places)


def _spread(g: Lowering, part: str, axis: int, size: int, places: range) -> str:
    """The part's elements at these places of an axis of that size, 0 elsewhere."""
    base, g.result = g.result, f"{g.result}.longer"
    longer = _placed(g, part, [(0, int(k == axis)) for k in range(len(g.shape))])  # its last element is a 0 to pick
    g.result = base
    found = np.full(size, len(places), np.int64)
    found[places] = np.arange(len(places))
    return g.op("Gather", longer, g.builder.constant(found, f"{base}.places"), axis=axis)


@rule(aten.select_backward.default)
def _select_backward(g: Lowering, grad: str, sizes: list[int], dim: int, index: int) -> str:
    axis = dim % len(sizes)
    wide = [1 if k == axis else size for k, size in enumerate(sizes)]
    part = g.shaped(grad, wide, part="wide")
    return _placed(g, part, _around(tuple(sizes), axis, index % sizes[axis], 1))


def _replaced(g: Lowering, x: str, part: str, axis: int, start: int, size: int) -> str:
    """X with a part of it replaced."""
    base, g.result = g.result, f"{g.result}.placed"
    placed = _placed(g, part, _around(g.shapes[x], axis, start, size))
    g.result = base
    return _where_placed(g, x, placed, axis, slice(start, start + size))


def _where_placed(g: Lowering, x: str, placed: str, axis: int, places: slice) -> str:
    """X, but at these places of an axis what is placed there."""
    inside = np.zeros(g.shapes[x], np.bool_)
    inside[(slice(None),) * axis + (places,)] = True
    return g.op("Where", g.builder.constant(inside, f"{g.result}.inside"), placed, x)


@rule(aten.slice_scatter.default)
def _slice_scatter(
    g: Lowering, x: str, part: str, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> str:
    axis = dim % len(g.shape)
    if step != 1:
        base, places, g.result = g.result, slice(start, end, step), f"{g.result}.placed"
        placed = _spread(g, g.value(part), axis, g.shape[axis], range(g.shape[axis])[places])
        g.result = base
        return _where_placed(g, x, placed, axis, places)
    begin = slice(start, end).indices(g.shape[axis])[0]
    return _replaced(g, x, g.value(part), axis, begin, g.shapes[part][axis])


@rule(aten.select_scatter.default)
def _select_scatter(g: Lowering, x: str, part: str, dim: int, index: int) -> str:
    axis = dim % len(g.shape)
    wide = [1 if k == axis else size for k, size in enumerate(g.shape)]
    reshaped = g.shaped(g.value(part), wide, part="wide")
    return _replaced(g, x, reshaped, axis, index % g.shape[axis], 1)
