"""Shapes: what moves elements without computing."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from haribote.graphs.writer import without_leading_ones
from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering, Shape, rule


@rule("broadcast_in_dim")
def broadcast(g: Lowering, x: Value, *_: Value, shape: Shape, broadcast_dimensions: Sequence[int]) -> Held:
    """Sizes of 1 at the new axes; operators broadcast them where they are read."""
    held = g.small(x)
    aligned = ((1,) * len(x.shape) + held.shape)[len(held.shape) :]
    sizes = [1] * len(shape)
    for axis, size in zip(broadcast_dimensions, aligned, strict=True):
        sizes[axis] = size
    return _viewed(g, held, tuple(sizes))


@rule("reshape", "squeeze")
def reshape(g: Lowering, x: Value, *_: Value, dimensions: Sequence[int] | None = None) -> Held:
    """The same elements in order; of a reshape, in that of axes in the order of `dimensions`."""
    if g.operation.name == "reshape" and dimensions is not None:
        turned = tuple(x.shape[axis] for axis in dimensions)
        return g.reshaped(Held(g.node("Transpose", g.full(x), perm=list(dimensions)), turned), g.result.shape)
    held = g.small(x)
    if prod(held.shape) != prod(x.shape):
        if prod(held.shape) == 1:
            return g.reshaped(held, ())
        held = Held(g.full(x), x.shape)
    return _viewed(g, held, g.result.shape)


def _viewed(g: Lowering, held: Held, shape: Shape) -> Held:
    """Elements in another shape; leading axes of size 1 need not be there."""
    same = without_leading_ones(held.shape) == without_leading_ones(shape)
    return held if same else g.reshaped(held, shape)


@rule("transpose")
def transpose(g: Lowering, x: Value, permutation: Sequence[int]) -> Held:
    """Axes in another order."""
    held = g.small(x)
    if prod(held.shape) == 1:
        return g.reshaped(held, ())
    return g.whole("Transpose", g.full(x), perm=list(permutation))


@rule("slice")
def slice_(
    g: Lowering, x: Value, start_indices: Sequence[int], limit_indices: Sequence[int], strides: Sequence[int] | None
) -> Held:
    """Part of every axis."""
    steps = strides or [1] * len(start_indices)
    return sliced(g, Held(g.full(x), x.shape), start_indices, limit_indices, steps, "")


def sliced(
    g: Lowering, x: Held, starts: Sequence[int], limits: Sequence[int], steps: Sequence[int], part: str = "slice"
) -> Held:
    """Part of every axis of a tensor; only axes that change are named."""
    shape = tuple(max(0, -(-(limit - start) // step)) for start, limit, step in zip(starts, limits, steps, strict=True))
    axes = [k for k, size in enumerate(x.shape) if (starts[k], limits[k], steps[k]) != (0, size, 1)]
    if not axes:
        return x
    parts = [g.sizes([numbers[k] for k in axes]) for numbers in (starts, limits)]
    name = g.node("Slice", x.name, *parts, g.sizes(axes), g.sizes([steps[k] for k in axes]), part=part)
    return Held(name, shape)


@rule("rev")
def reverse(g: Lowering, x: Value, dimensions: Sequence[int]) -> Held:
    """From the last element of an axis to the first."""
    count = len(dimensions)
    ends = [g.sizes(numbers) for numbers in ([-1] * count, [-(2**31)] * count, list(dimensions), [-1] * count)]
    return g.whole("Slice", g.full(x), *ends)


@rule("concatenate")
def concatenate(g: Lowering, *parts: Value, dimension: int) -> Held:
    """One behind the other."""
    present = [part for part in parts if part.shape[dimension]]
    return g.whole("Concat", *(g.full(part) for part in present), axis=dimension)


def _cut(g: Lowering, x: Value, sizes: Sequence[int], axis: int) -> list[Held]:
    """One part after the other."""
    held, parts, start = Held(g.full(x), x.shape), [], 0
    for size in sizes:
        starts = [start if k == axis else 0 for k in range(len(x.shape))]
        limits = [start + size if k == axis else full for k, full in enumerate(x.shape)]
        parts.append(sliced(g, held, starts, limits, [1] * len(x.shape)))
        start += size
    return parts


rule("split")(_cut)


@rule("stack")
def stack(g: Lowering, *parts: Value, axis: int) -> Held:
    """One behind the other along a new axis."""
    axis %= len(g.result.shape)
    shape = (*g.result.shape[:axis], 1, *g.result.shape[axis + 1 :])
    return g.whole("Concat", *(g.full(part, shape) for part in parts), axis=axis)


@rule("unstack")
def unstack(g: Lowering, x: Value, axis: int) -> list[Held]:
    """Every part along an axis, which is gone afterwards."""
    axis %= len(x.shape)
    return [g.reshaped(part, g.result.shape) for part in _cut(g, x, [1] * x.shape[axis], axis)]


@rule("tile")
def tile(g: Lowering, x: Value, reps: Sequence[int]) -> Held:
    """Again and again along axes."""
    repeats = (1,) * (len(g.result.shape) - len(reps)) + tuple(reps)
    return g.whole("Tile", g.full(x), g.sizes(repeats))


@rule("pad")
def pad(g: Lowering, x: Value, filling: Value, padding_config: Sequence[tuple[int, int, int]]) -> Held:
    """A value around and between the elements; negative padding takes elements away."""
    held = Held(g.full(x), x.shape)
    if isinstance(filling, np.ndarray):
        return padded(g, held, padding_config, filling.item(), x)
    inside = padded(g, g.constant(np.ones(x.shape, np.bool_)), padding_config, False, np.dtype(np.bool_))
    return g.each("Where", inside, padded(g, held, padding_config, 0, x), filling)


def padded(g: Lowering, x: Held, config: Sequence[tuple[int, int, int]], filling: float, like: Any) -> Held:
    """A tensor with a number around and between its elements. like: a value, or the type, of its elements."""
    number = g.scalar(filling, like)
    for axis, (_, _, between) in enumerate(config):
        if between and x.shape[axis] > 1:
            x = _spread(g, x, axis, between, number)
    starts = [max(0, -low) for low, _, _ in config]
    limits = [size - max(0, -high) for size, (_, high, _) in zip(x.shape, config, strict=True)]
    x = sliced(g, x, starts, limits, [1] * len(starts))
    before, behind = ([max(0, entry[side]) for entry in config] for side in (0, 1))
    if not any([*before, *behind]):
        return x
    shape = tuple(map(sum, zip(before, x.shape, behind, strict=True)))
    return Held(g.node("Pad", x.name, g.sizes([*before, *behind]), number.name), shape)


def _spread(g: Lowering, x: Held, axis: int, between: int, number: Held) -> Held:
    """Numbers between the elements along an axis: behind each of them, without those behind the last."""
    apart = (*x.shape[: axis + 1], 1, *x.shape[axis + 1 :])
    amounts = [0] * (2 * len(apart))
    amounts[len(apart) + axis + 1] = between
    name = g.node("Pad", g.reshaped(x, apart).name, g.sizes(amounts), number.name, part="between")
    whole = (*apart[: axis + 1], between + 1, *apart[axis + 2 :])
    size = x.shape[axis] * (between + 1)
    joined = g.reshaped(Held(name, whole), (*x.shape[:axis], size, *x.shape[axis + 1 :]))
    limits = [size - between if k == axis else full for k, full in enumerate(joined.shape)]
    return sliced(g, joined, [0] * len(limits), limits, [1] * len(limits))
