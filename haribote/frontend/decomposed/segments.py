"""Reductions over parts of an axis whose ends are computed: segments, and the bins of a histogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -inf, "min": inf}
"""What an empty segment gives."""


def segment_reduce(
    x: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Any:
    """The parts of an axis one after another, each reduced; lengths, [..., segments], or where they begin and end."""
    if not x.is_floating_point() or indices is not None:
        return NotImplemented
    axis = axis % x.dim()
    if lengths is not None:
        ends = lengths.cumsum(-1)
        starts = ends - lengths
    elif offsets is not None:
        starts, ends = offsets[..., :-1], offsets[..., 1:]
    else:
        return NotImplemented
    places = torch.arange(x.shape[axis])
    seen = (places >= starts.unsqueeze(-1)) & (places < ends.unsqueeze(-1))
    after = [1] * (x.dim() - axis - 1)
    values = torch.where(seen.reshape(*seen.shape, *after), x.unsqueeze(axis), NEUTRAL[reduce])
    start = NEUTRAL[reduce] if initial is None else float(initial)
    if reduce in ("max", "min"):
        join = torch.maximum if reduce == "max" else torch.minimum
        found = values.amax(axis + 1) if reduce == "max" else values.amin(axis + 1)
        return join(found, torch.full((), start, dtype=x.dtype))
    if reduce == "prod":
        return values.prod(axis + 1) * start
    total = values.sum(axis + 1) + start
    if reduce == "sum":
        return total
    counts = (ends - starts).to(x.dtype).reshape(*starts.shape, *after)
    return total / (counts if initial is None else counts.clamp(min=1.0))


def histogram(
    x: Tensor, bins: int = 100, *, range: Sequence[float] | None = None, weight: Tensor | None = None,
    density: bool = False,
) -> Any:  # fmt: skip
    """How many elements are in each bin, all of one width, and the edges of the bins."""
    if not x.numel():
        return NotImplemented
    edges = _edges(x.reshape(-1), bins, range)
    return histogram_of_edges(x, edges, weight=weight, density=density)


def histogram_of_edges(x: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False) -> Any:
    """The same with given edges; they are a result too."""
    return _counted(x.reshape(-1, 1), [bins], weight, density), bins.clone()


def histogramdd_edges(
    x: Tensor, bins: list[int], *, range: Sequence[float] | None = None, weight: Tensor | None = None,
    density: bool = False,
) -> Any:  # fmt: skip
    """The edges along each axis, of points [..., axes]."""
    if not x.numel():
        return NotImplemented
    points = x.reshape(-1, x.shape[-1])
    ranges = [None if range is None else range[2 * axis : 2 * axis + 2] for axis, _ in enumerate(bins)]
    return [_edges(points[:, axis], *each) for axis, each in enumerate(zip(bins, ranges, strict=True))]


def histogramdd(
    x: Tensor, bins: list[int], *, range: Sequence[float] | None = None, weight: Tensor | None = None,
    density: bool = False,
) -> Any:  # fmt: skip
    """How many points, [..., axes], are in each box of bins of one width."""
    if not x.numel():
        return NotImplemented
    return histogramdd_of_edges(x, histogramdd_edges(x, bins, range=range), weight=weight, density=density)


def histogramdd_of_edges(
    x: Tensor, bins: list[Tensor], *, weight: Tensor | None = None, density: bool = False
) -> Tensor:
    """The same with given edges."""
    return _counted(x.reshape(-1, x.shape[-1]), bins, weight, density)


def _edges(x: Tensor, bins: int, given: Sequence[float] | None) -> Tensor:
    """Of bins of one width, from the smallest element to the largest where no range is given; as torch, counted from
    the nearer end, and around a single value from half below it to half above.
    """
    low, high = (x.amin(), x.amax()) if given is None else (torch.full((), end, dtype=x.dtype) for end in given)
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    numbers = torch.arange(bins + 1)
    step = (high - low) / bins
    upwards, downwards = low + step * numbers.to(x.dtype), high - step * (bins - numbers).to(x.dtype)
    return torch.where(numbers < (bins + 1) // 2, upwards, downwards)


def _counted(points: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """The sums of weights of the points, [points, axes], in each box; the last bin of an axis has both its edges."""
    boxes = torch.ones(len(points), 1, dtype=points.dtype) if weight is None else weight.reshape(-1, 1)
    for axis, ends in enumerate(edges):
        value, last = points[:, axis : axis + 1], torch.arange(len(ends) - 1) == len(ends) - 2
        inside = (value >= ends[:-1]) & ((value < ends[1:]) | (last & (value == ends[1:])))
        both = boxes.unsqueeze(2) * inside.to(points.dtype).unsqueeze(1)
        boxes = both.reshape(len(points), both.shape[1] * both.shape[2])
    found = boxes.sum(0).reshape([len(ends) - 1 for ends in edges])
    if not density:
        return found
    sizes = torch.ones((), dtype=points.dtype)
    for ends in edges:
        sizes = sizes.unsqueeze(-1) * (ends[1:] - ends[:-1])
    return found / (found.sum() * sizes)


SEGMENTS: dict[Any, Callable[..., Any]] = {
    aten.segment_reduce.default: segment_reduce,
    aten.histogram.bin_ct: histogram,
    aten.histogram.bins_tensor: histogram_of_edges,
    aten._histogramdd_bin_edges.default: histogramdd_edges,
    aten._histogramdd_from_bin_cts.default: histogramdd,
    aten._histogramdd_from_bin_tensors.default: histogramdd_of_edges,
}
