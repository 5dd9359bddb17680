"""Reductions of axes, running ones along an axis, and windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering, graph_type, is_float, rule
from haribote.jax.rules.shapes import padded, sliced
from simulator.messages import tr

OPERATORS = {
    "reduce_sum": "ReduceSum",
    "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd",
}


@rule(*OPERATORS)
def reduce(g: Lowering, x: Value, axes: Sequence[int]) -> Held:
    """Over axes, which are gone afterwards."""
    return g.narrowed(_reduced(g, OPERATORS[g.operation.name], g.counted(x), axes), x.dtype)


@rule("reduce_or", "reduce_and")
def reduce_bool(g: Lowering, x: Value, axes: Sequence[int]) -> Held:
    """Of bool: the largest or the smallest of 0 and 1; of nothing, the least and the greatest of all numbers."""
    g.require(x.dtype == np.bool_, tr("only of bool"))
    numbers = g.cast(Held(g.full(x), x.shape), np.int32)
    kind = "ReduceMax" if g.operation.name == "reduce_or" else "ReduceMin"
    return g.each("Greater", _reduced(g, kind, numbers, axes), g.scalar(0, np.int32))


def _reduced(g: Lowering, kind: str, x: Held, axes: Sequence[int]) -> Held:
    axes = [axis for axis in axes if x.shape[axis] != 1]
    if not axes:
        return g.reshaped(x, g.result.shape)
    kept = tuple(size for axis, size in enumerate(x.shape) if axis not in axes)
    return g.reshaped(Held(g.node(kind, x.name, g.sizes(axes), keepdims=0), kept), g.result.shape)


@rule("reduce_xor")
def reduce_xor(g: Lowering, x: Value, axes: Sequence[int]) -> Held:
    """Of bool: whether their number is odd."""
    g.require(x.dtype == np.bool_, tr("only of bool"))
    count = _reduced(g, "ReduceSum", g.cast(Held(g.full(x), x.shape), np.int32), axes)
    return g.cast(g.each("BitwiseAnd", count, g.scalar(1, np.int32)), np.bool_, "")


@rule("argmax", "argmin")
def argument(g: Lowering, x: Value, axes: Sequence[int], index_dtype: Any) -> Held:
    """Where the largest or smallest element is, the first of several."""
    kind = "ArgMax" if g.operation.name == "argmax" else "ArgMin"
    place = Held(g.node(kind, g.counted(x).name, axis=axes[0], keepdims=0), g.result.shape)
    return g.cast(place, index_dtype)


@rule("cumsum")
def cumsum(g: Lowering, x: Value, axis: int, reverse: bool) -> Held:
    """The sum of an element and those before it; reverse: of it and those behind it."""
    total = g.whole("CumSum", g.counted(x).name, g.constant(np.array(axis)).name, reverse=int(reverse))
    return g.narrowed(total, x.dtype)


RUNNING = {"cumprod": "Mul", "cummax": "Max", "cummin": "Min"}


@rule(*RUNNING)
def running(g: Lowering, x: Value, axis: int, reverse: bool) -> Held:
    """As `cumsum`, by doubling."""
    operator = RUNNING[g.operation.name]
    return _doubled(g, x, axis, reverse, neutral(operator, x.dtype), lambda a, b: g.each(operator, a, b))


@rule("cumlogsumexp")
def running_log_sum(g: Lowering, x: Value, axis: int, reverse: bool) -> Held:
    """As `cumsum`, of exponentials, and its logarithm: log(e^a + e^b) = max + log(1 + e^(min - max))."""

    def joined(a: Held, b: Held) -> Held:
        high, low = g.each("Max", a, b), g.each("Min", a, b)
        gap = g.each("Where", g.each("Equal", high, low), g.scalar(0, x.dtype), g.each("Sub", low, high))
        return g.each("Add", high, g.each("Softplus", gap))

    return _doubled(g, x, axis, reverse, neutral("Max", x.dtype), joined)


def _doubled(
    g: Lowering, x: Value, axis: int, reverse: bool, nothing: float, join: Callable[[Held, Held], Held]
) -> Held:
    """Each element with that 1, then 2, then 4 ... before it (reverse: behind it), where `nothing` stands for none."""
    total, distance = Held(g.full(x), x.shape), 1
    while distance < x.shape[axis]:
        config = [(0, 0, 0)] * len(x.shape)
        config[axis] = (-distance, distance, 0) if reverse else (distance, -distance, 0)
        total = join(total, padded(g, total, config, nothing, x))
        distance *= 2
    return total


def neutral(operator: str, dtype: np.dtype[Any]) -> float:
    """What changes nothing: 0 for a sum, 1 for a product, the least or largest number."""
    if operator in ("Add", "Mul"):
        return float(operator == "Mul")
    sign = -1 if operator == "Max" else 1
    if is_float(dtype):
        return sign * float("inf")
    return int(np.iinfo(graph_type(dtype)).min if sign < 0 else np.iinfo(graph_type(dtype)).max)


# --- windows ----------------------------------------------------------------------------------------------------------

WINDOWS = {"reduce_window_sum": "Add", "reduce_window_max": "Max", "reduce_window_min": "Min"}


@rule(*WINDOWS)
def window(
    g: Lowering,
    x: Value,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    base_dilation: Sequence[int],
    window_dilation: Sequence[int],
) -> Held:
    """All places of the window at once: one strided slice for every element of it, then these combined."""
    combine = WINDOWS[g.operation.name]
    config = [(low, high, gap - 1) for (low, high), gap in zip(padding, base_dilation, strict=True)]
    whole = padded(g, Held(g.full(x), x.shape), config, neutral(combine, x.dtype), x)
    slices = _windows(g, whole, g.result.shape, window_dimensions, window_strides, window_dilation)
    return _combined(slices, lambda a, b: g.each(combine, a, b))


def _windows(
    g: Lowering, x: Held, count: Sequence[int], sizes: Sequence[int], strides: Sequence[int], gaps: Sequence[int]
) -> list[Held]:
    """For every element of the window, what it sees at all places of the window."""
    found = []
    for place in product(*(range(size) for size in sizes)):
        starts = [k * gap for k, gap in zip(place, gaps, strict=True)]
        limits = [s + (n - 1) * step + 1 for s, n, step in zip(starts, count, strides, strict=True)]
        found.append(sliced(g, x, starts, limits, strides))
    return found


def _combined(values: Sequence[Held], combine: Callable[[Held, Held], Held]) -> Held:
    """Pairs combined, again and again."""
    while len(values) > 1:
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = [*pairs, *values[len(values) - len(values) % 2 :]]
    return values[0]


@rule("select_and_scatter_add")
def select_and_scatter_add(
    g: Lowering,
    source: Value,
    x: Value,
    select_prim: Any,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
) -> Held:
    """The gradient of a maximum over windows: each number of `source` goes to the first largest element of its window.

    For every element of the window: where it is the chosen one, the number is put back where the element came from.
    """
    combine = "Max" if select_prim.name == "ge" else "Min"
    config = [(low, high, 0) for low, high in padding]
    whole = padded(g, Held(g.full(x), x.shape), config, neutral(combine, x.dtype), x)
    ones = [1] * len(x.shape)
    slices = _windows(g, whole, source.shape, window_dimensions, window_strides, ones)
    best = _combined(slices, lambda a, b: g.each(combine, a, b, part="best"))
    zero, free, parts = g.scalar(0, source), None, []
    for place, seen in zip(product(*(range(size) for size in window_dimensions)), slices, strict=True):
        here = g.each("Equal", seen, best, part="here")
        chosen = g.each("And", here, free, part="chosen") if free else here
        others = g.each("Not", here, part="others")
        free = g.each("And", free, others, part="free") if free else others
        value = g.each("Where", chosen, source, zero, part="value")
        parts.append(_put_back(g, value, place, window_strides, whole.shape, source))
    total = _combined(parts, lambda a, b: g.each("Add", a, b, part="sum"))
    return padded(g, total, [(-low, -high, 0) for low, high in padding], 0, source)


def _put_back(
    g: Lowering, value: Held, place: Sequence[int], strides: Sequence[int], shape: Sequence[int], like: Value
) -> Held:
    """Numbers at the places that a strided slice from `place` on reads, zeros elsewhere."""
    config = []
    for start, step, count, size in zip(place, strides, value.shape, shape, strict=True):
        config.append((start, size - start - ((count - 1) * step + 1), step - 1))
    return padded(g, value, config, 0, like)
