"""Indexing: gathers and scatters of every form, as one of a flat array by flat numbers.

JAX's gather reads, for every start index, a slice of the operand. Here the flat number of each element read is

    sum over the axes of (start + place in the slice) * stride of the axis

so that one Gather (or ScatterElements) of the flattened operand does all forms. Start indices that are known, and the
numbers that follow from them, are constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from haribote.jax.flat.values import Array, Value
from haribote.jax.rules.lowering import Held, Lowering, Shape, rule
from haribote.jax.rules.shapes import sliced


@dataclass(frozen=True)
class Form:
    """Which axes are which.

    batch: of the slices, by the axes of the start indices. window: of the slices, by the axes of the operand that are
    in `inside`; size: of a slice along all axes of the operand. starts: the operand's axis of each start index.
    same: pairs (axis of the operand, axis of the start indices) that go along with each other.
    """

    shape: Shape
    size: Shape
    batch: tuple[int, ...]
    window: tuple[int, ...]
    inside: tuple[int, ...]
    starts: tuple[int, ...]
    same: tuple[tuple[int, int], ...]

    @property
    def rank(self) -> int:
        """Of the array of all slices."""
        return len(self.batch) + len(self.window)

    @property
    def strides(self) -> list[int]:
        """How far apart neighbours are in the flat operand."""
        return [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]

    def places(self, batch: Shape) -> Array:
        """What the place in the slice, and axes that go along, add to the flat number."""
        total: Array = np.zeros((1,) * self.rank, np.int32)
        for axis, of_window in zip(self.inside, self.window, strict=True):
            total = total + self._along(of_window, self.size[axis]) * self.strides[axis]
        for axis, of_indices in self.same:
            total = total + self._along(self.batch[of_indices], batch[of_indices]) * self.strides[axis]
        return total.astype(np.int32)

    def _along(self, axis: int, size: int) -> Array:
        return np.arange(size, dtype=np.int32).reshape([size if k == axis else 1 for k in range(self.rank)])

    def over_batch(self, batch: Shape) -> Shape:
        """The shape of one number for every slice."""
        sizes = dict(zip(self.batch, batch, strict=True))
        return tuple(sizes.get(k, 1) for k in range(self.rank))


def form_of(dims: Any, shape: Shape, size: Sequence[int], rank: int, of_gather: bool) -> Form:
    """The form of a gather or of a scatter; rank: of the slices."""
    window = tuple(dims.offset_dims if of_gather else dims.update_window_dims)
    gone = dims.collapsed_slice_dims if of_gather else dims.inserted_window_dims
    along = tuple(dims.operand_batching_dims)
    of_indices = tuple(dims.start_indices_batching_dims if of_gather else dims.scatter_indices_batching_dims)
    starts = tuple(dims.start_index_map if of_gather else dims.scatter_dims_to_operand_dims)
    inside = tuple(axis for axis in range(len(shape)) if axis not in (*gone, *along))
    batch = tuple(k for k in range(rank) if k not in window)
    return Form(shape, tuple(size), batch, window, inside, starts, tuple(zip(along, of_indices, strict=True)))


def numbers_of(g: Lowering, form: Form, indices: Value, clip: bool) -> tuple[Held, Held | None]:
    """The flat numbers of all elements of all slices, and whether their slices are inside (None: all are)."""
    batch = indices.shape[:-1]
    total, inside = g.constant(form.places(batch)), None
    for k, axis in enumerate(form.starts):
        start = _column(g, indices, k, form.over_batch(batch))
        last = form.shape[axis] - form.size[axis]
        if not clip:
            low, high = g.scalar(0, np.int32), g.scalar(last, np.int32)
            fits = g.each("And", g.each("GreaterOrEqual", start, low), g.each("LessOrEqual", start, high), part="fits")
            inside = g.each("And", inside, fits, part="inside") if inside else fits
        total = _with_start(g, total, start, last, form.strides[axis])
    return total, inside


def _with_start(g: Lowering, total: Held, start: Held, last: int, step: int) -> Held:
    """Flat numbers, moved on by a start index, which is moved to be from 0 to `last`. step: the axis's stride."""
    low, high = g.scalar(0, np.int32), g.scalar(last, np.int32)
    start = g.each("Min", g.each("Max", start, low, part="low"), high, part="start")
    return g.each("Add", total, g.each("Mul", start, g.scalar(step, np.int32)) if step != 1 else start)


def _column(g: Lowering, indices: Value, k: int, shape: Shape) -> Held:
    """The start indices of one axis, as int32."""
    if isinstance(indices, np.ndarray):
        return g.constant(indices[..., k].reshape(shape).astype(np.int32))
    rank = len(indices.shape)
    starts, limits = [0] * (rank - 1) + [k], [*indices.shape[:-1], k + 1]
    column = sliced(g, Held(g.full(indices), indices.shape), starts, limits, [1] * rank)
    return g.reshaped(column if indices.dtype == np.int32 else g.cast(column, np.int32), shape)


def known_numbers(form: Form, indices: Array, clip: bool) -> tuple[Array, Array | None]:
    """As `_numbers`, of start indices that are known."""
    batch = indices.shape[:-1]
    total: Array = form.places(batch).astype(np.int64)
    inside: Array = np.ones((1,) * form.rank, np.bool_)
    for k, axis in enumerate(form.starts):
        start = indices[..., k].reshape(form.over_batch(batch)).astype(np.int64)
        last = form.shape[axis] - form.size[axis]
        inside = inside & (start >= 0) & (start <= last)
        total = total + np.clip(start, 0, last) * form.strides[axis]
    return total, None if clip or inside.all() else inside


def _read(g: Lowering, x: Value, form: Form, indices: Value, clip: bool, filling: float) -> Held:
    """All slices in one array."""
    flat = g.reshaped(Held(g.full(x), x.shape), (prod(x.shape),))
    if isinstance(indices, np.ndarray):
        numbers, known = known_numbers(form, indices, clip)
        name = g.constant(np.broadcast_to(numbers, g.result.shape)).name
        inside = None if known is None else g.constant(known)
    else:
        found, inside = numbers_of(g, form, indices, clip)
        name = g.full(found, g.result.shape)
    result = g.whole("Gather", flat.name, name, axis=0)
    return result if inside is None else g.each("Where", inside, result, g.scalar(filling, x))


@rule("gather")
def gather(
    g: Lowering,
    x: Value,
    indices: Value,
    dimension_numbers: Any,
    slice_sizes: Sequence[int],
    mode: Any,
    fill_value: Any = None,
) -> Held:
    """Slices of x; what is outside is `fill_value`, or is moved inside, as `mode` says."""
    form = form_of(dimension_numbers, x.shape, slice_sizes, len(g.result.shape), of_gather=True)
    fills = "FILL" in str(mode).upper()
    filling = fill_value if fill_value is not None else np.nan if x.dtype.kind not in "biu" else _integer_filling(x)
    return _read(g, x, form, indices, not fills, filling)


def _integer_filling(x: Value) -> int:
    if x.dtype == np.bool_:
        return 1
    info = np.iinfo(x.dtype)
    return int(info.min if x.dtype.kind == "i" else info.max)


@rule("dynamic_slice")
def dynamic_slice(g: Lowering, x: Value, *starts: Value, slice_sizes: Sequence[int]) -> Held:
    """A slice from computed starts, which are moved so that it is inside."""
    if all(isinstance(start, np.ndarray) for start in starts):
        firsts = clipped(starts, x.shape, slice_sizes)
        limits = [first + size for first, size in zip(firsts, slice_sizes, strict=True)]
        return sliced(g, Held(g.full(x), x.shape), firsts, limits, [1] * len(firsts), "")
    axes = tuple(range(len(x.shape)))
    form = Form(x.shape, tuple(slice_sizes), (), axes, axes, (), ())
    total = moved(g, form, starts)
    flat = g.reshaped(Held(g.full(x), x.shape), (prod(x.shape),))
    return g.whole("Gather", flat.name, g.full(total, g.result.shape), axis=0)


def clipped(starts: Sequence[Value], shape: Shape, sizes: Sequence[int]) -> list[int]:
    """Starts that are known, moved so that slices of these sizes are inside."""
    return [
        int(np.clip(start, 0, full - size))
        for start, full, size in zip(starts, shape, sizes, strict=True)
        if isinstance(start, np.ndarray)
    ]


def moved(g: Lowering, form: Form, starts: Sequence[Value]) -> Held:
    """The flat numbers of a slice from computed starts."""
    total = g.constant(form.places(()))
    for start, step, full, size in zip(starts, form.strides, form.shape, form.size, strict=True):
        if full == size:
            continue
        held = g.small(start)
        held = held if start.dtype == np.int32 else g.cast(held, np.int32)
        total = _with_start(g, total, held, full - size, step)
    return total
