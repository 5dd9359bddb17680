"""Scatters, which write slices into an array, and sorting."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from haribote.jax.flat.values import Value
from haribote.jax.rules.indexing import Form, clipped, form_of, known_numbers, moved, numbers_of
from haribote.jax.rules.lowering import Held, Lowering, rule
from haribote.jax.rules.shapes import sliced
from simulator.messages import tr


@rule("dynamic_update_slice")
def dynamic_update_slice(g: Lowering, x: Value, update: Value, *starts: Value) -> Held:
    """X with a slice replaced."""
    if x.shape == update.shape:
        return g.small(update)
    axes = tuple(range(len(x.shape)))
    form = Form(x.shape, update.shape, (), axes, axes, (), ())
    if all(isinstance(start, np.ndarray) for start in starts):
        first = clipped(starts, x.shape, update.shape)
        offset = sum(start * step for start, step in zip(first, form.strides, strict=True))
        numbers = g.constant(form.places(()).astype(np.int64) + offset)
    else:
        numbers = moved(g, form, starts)
    return _scattered(g, x, numbers, update, "none")


def _scattered(g: Lowering, x: Value, numbers: Held, update: Value | Held, reduction: str) -> Held:
    """X with elements at flat numbers replaced, or combined with others."""
    size = (prod(update.shape),)
    whole = g.reshaped(Held(g.full(numbers, update.shape), update.shape), size)
    flat = g.reshaped(Held(g.full(x), x.shape), (prod(x.shape),))
    values = g.reshaped(Held(g.full(update), update.shape), size)
    name = g.node("ScatterElements", flat.name, whole.name, values.name, axis=0, reduction=reduction)
    return g.reshaped(Held(name, flat.shape), x.shape)


SCATTERS = {
    "scatter": "none",
    "scatter-add": "add",
    "scatter-sub": "add",
    "scatter-mul": "mul",
    "scatter-min": "min",
    "scatter-max": "max",
}
"""Primitive to what ONNX calls its way of combining."""
NEUTRAL = {"add": 0.0, "mul": 1.0}


@rule(*SCATTERS)
def scatter(
    g: Lowering,
    x: Value,
    indices: Value,
    update: Value,
    dimension_numbers: Any,
    mode: Any,
    update_jaxpr: Any = None,
) -> Held:
    """X with slices replaced, or combined with others; slices that are not inside are left out, or moved inside.

    What is left out goes to one more element behind the others, which is then taken away.
    """
    kind = SCATTERS[g.operation.name]
    g.require(kind != "none" or update_jaxpr is None, tr("no function of elements; x.at[i].set(f(x[i])) is the same"))
    size, dims = [1] * len(x.shape), dimension_numbers
    outside = (*dims.inserted_window_dims, *dims.operand_batching_dims)
    for axis, of_window in zip((k for k in range(len(size)) if k not in outside), dims.update_window_dims, strict=True):
        size[axis] = update.shape[of_window]
    form = form_of(dims, x.shape, size, len(update.shape), of_gather=False)
    clip = "CLIP" in str(mode).upper() or "PROMISE" in str(mode).upper()
    inside: Held | None
    if isinstance(indices, np.ndarray):
        known, mask = known_numbers(form, indices, clip)
        numbers, inside = g.constant(known), None if mask is None else g.constant(mask)
    else:
        numbers, inside = numbers_of(g, form, indices, clip)
    kept: Value | Held = update
    if g.operation.name == "scatter-sub":
        kept = g.each("Sub", g.scalar(0, update), update, part="less")
    if inside is None:
        return _scattered(g, x, numbers, Held(g.full(kept, update.shape), update.shape), kind)
    if kind in NEUTRAL:
        kept = g.each("Where", inside, kept, g.scalar(NEUTRAL[kind], update), part="kept")
        return _scattered(g, x, numbers, Held(g.full(kept, update.shape), update.shape), kind)
    return _scattered_inside(g, x, numbers, inside, update, kind)


def _scattered_inside(g: Lowering, x: Value, numbers: Held, inside: Held, update: Value, kind: str) -> Held:
    count = prod(x.shape)
    last = g.constant(np.array(count, np.int32))
    numbers = g.each("Where", inside, g.cast(numbers, np.int32), last, part="numbers")
    flat = g.reshaped(Held(g.full(x), x.shape), (count,))
    more = g.node("Concat", flat.name, g.constant(np.zeros(1, x.dtype)).name, axis=0, part="more")
    size = (prod(update.shape),)
    whole = g.reshaped(Held(g.full(numbers, update.shape), update.shape), size)
    values = g.reshaped(Held(g.full(update), update.shape), size)
    name = g.node("ScatterElements", more, whole.name, values.name, axis=0, reduction=kind)
    kept = sliced(g, Held(name, (count + 1,)), [0], [count], [1])
    return g.reshaped(kept, x.shape)


@rule("sort")
def sort(g: Lowering, *arrays: Value, dimension: int, num_keys: int) -> list[Held]:
    """By the first arrays, the later ones where the earlier are equal: a stable sort by the last of them first."""
    held = [g.counted(array) for array in arrays]
    count = g.sizes([arrays[0].shape[dimension]])
    for key in range(num_keys)[::-1]:
        value = g.node("TopK", held[key].name, count, part="order", axis=dimension, largest=0, sorted=1)
        order = g.second_output(value)
        held = [
            Held(value if k == key else g.node("GatherElements", other.name, order, axis=dimension), other.shape)
            for k, other in enumerate(held)
        ]
    return [g.narrowed(one, array.dtype) for one, array in zip(held, arrays, strict=True)]


@rule("approx_top_k")
def approximately_top_k(g: Lowering, x: Value, k: int, reduction_dimension: int, is_max_k: bool) -> list[Held]:
    """Exactly, which is as near as any."""
    g.require(g.result.shape[reduction_dimension] == k, tr("only with aggregate_to_topk=True"))
    return _extremes(g, x, k, reduction_dimension, is_max_k)


@rule("top_k")
def top_k(g: Lowering, x: Value, k: int, axis: int = -1) -> list[Held]:
    """The largest elements along an axis, from the largest on, and where they are."""
    return _extremes(g, x, k, axis, True)


def _extremes(g: Lowering, x: Value, k: int, axis: int, largest: bool) -> list[Held]:
    value = g.node("TopK", g.counted(x).name, g.sizes([k]), axis=axis % len(x.shape), largest=int(largest), sorted=1)
    places = Held(g.second_output(value), g.result.shape)
    return [g.narrowed(Held(value, g.result.shape), x.dtype), g.cast(places, g.operation.outputs[1].dtype)]
