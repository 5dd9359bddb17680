"""Sorting, medians and running extremes, as TopK or as comparisons of every element with every other along an axis."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten

LONGEST = 1024
"""Along an axis: what compares every element with every other is left to torch beyond."""


def sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = False) -> Any:
    """Of a number; along an axis there is a rule, for where it stays with torch, `topk` would not be stable."""
    return NotImplemented if x.dim() else (x.clone(), torch.zeros((), dtype=torch.int64))


def kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest, from 1, and where it is."""
    if not x.dim():
        return torch.topk(x, k, dim)
    values, places = torch.topk(x, k, dim, largest=False)
    found = values.narrow(dim, k - 1, 1).contiguous(), places.narrow(dim, k - 1, 1).contiguous()
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def median_along(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    """The lower one of the two in the middle, and where it is."""
    return kthvalue(x, ((x.shape[dim] if x.dim() else 1) + 1) // 2, dim, keepdim)


def median(x: Tensor) -> Any:
    """Of all elements."""
    return median_along(x.reshape(-1), 0)[0] if x.numel() else NotImplemented


def nanmedian_along(x: Tensor, dim: int, keepdim: bool = False) -> Any:
    """The median of those that are numbers: NaN is behind all others, and the middle is that of the rest."""
    if not x.is_floating_point():
        return median_along(x, dim, keepdim)
    if not x.dim():
        return torch.where(x == x, x, x), torch.zeros((), dtype=torch.int64)
    known = x == x
    values, places = torch.topk(torch.where(known, x, float("inf")), x.shape[dim], dim, largest=False)
    middle = ((known.sum(dim, keepdim=True) + 1).div(2, rounding_mode="floor") - 1).clamp(min=0)
    found = torch.where(known.any(dim, keepdim=True), values.gather(dim, middle), float("nan"))
    place = places.gather(dim, middle)
    return (found, place) if keepdim else (found.squeeze(dim), place.squeeze(dim))


def nanmedian(x: Tensor) -> Any:
    """Of all elements."""
    return nanmedian_along(x.reshape(-1), 0)[0] if x.numel() else NotImplemented


def _pairs(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The elements of the axis once more on a last axis, and which of them are not behind the own one."""
    rows = x.movedim(dim, -1)
    numbers = torch.arange(rows.shape[-1], device=x.device)
    return rows.unsqueeze(-2), numbers.unsqueeze(0) <= numbers.unsqueeze(1)


def running(x: Tensor, dim: int, largest: bool) -> Any:
    """The largest so far, or the smallest, and where it was last."""
    if not x.dim():
        return torch.topk(x, 1, dim)
    if not x.is_floating_point() or not 0 < x.shape[dim] <= LONGEST:
        return NotImplemented
    others, before = _pairs(x, dim)
    beyond = float("-inf") if largest else float("inf")
    known = torch.where(before, others, beyond)
    values = known.amax(-1) if largest else known.amin(-1)
    numbers = torch.arange(x.shape[dim], device=x.device)
    places = torch.where(before & (others == values.unsqueeze(-1)), numbers, -1).amax(-1)
    return values.movedim(-1, dim).contiguous(), places.movedim(-1, dim).contiguous()


def logcumsumexp(x: Tensor, dim: int) -> Any:
    """The logarithm of the sum of the exponentials so far."""
    if not x.dim():
        return x.clone()
    if not x.is_floating_point() or not 0 < x.shape[dim] <= LONGEST:
        return NotImplemented
    others, before = _pairs(x, dim)
    return torch.logsumexp(torch.where(before, others, float("-inf")), -1).movedim(-1, dim).contiguous()


def searchsorted(
    sequence: Tensor,
    values: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Any:
    """How many elements of the last axis come before each value."""
    if sorter is not None or not sequence.shape[-1]:
        return NotImplemented
    if not values.dim():
        return searchsorted(sequence, values.reshape(1), out_int32=out_int32, right=right, side=side).reshape(())
    others, own = sequence.unsqueeze(-2), values.unsqueeze(-1)
    if sequence.dim() == 1:
        others = sequence
    before = others <= own if right or side == "right" else others < own
    return before.sum(-1, dtype=torch.int32 if out_int32 else torch.int64)


def histc(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """How many elements are in each of so many intervals, from the smallest to the largest where no ends are given."""
    flat = x.reshape(-1)
    if not x.is_floating_point() or not 0 < flat.numel() <= LONGEST:
        return NotImplemented
    low, high = torch.full((), float(min), dtype=x.dtype), torch.full((), float(max), dtype=x.dtype)
    if min == max:
        low, high = flat.amin(), flat.amax()
        same = low == high
        low, high = torch.where(same, low - 1, low), torch.where(same, high + 1, high)
    place = torch.floor((flat - low) * bins / (high - low)).clamp(max=bins - 1)
    inside = (flat >= low) & (flat <= high)
    hits = (place.unsqueeze(0) == torch.arange(bins, dtype=x.dtype).unsqueeze(1)) & inside
    return hits.to(x.dtype).sum(1)


def mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent number of the axis, the smallest of several, and where it is last."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    if not x.is_floating_point() or not 0 < x.shape[dim] <= LONGEST:
        return NotImplemented
    rows = x.movedim(dim, -1)
    counts = (rows.unsqueeze(-1) == rows.unsqueeze(-2)).to(x.dtype).sum(-1)
    values = torch.where(counts == counts.amax(-1, keepdim=True), rows, float("inf")).amin(-1)
    places = torch.where(rows == values.unsqueeze(-1), torch.arange(rows.shape[-1]), -1).amax(-1)
    return (values.unsqueeze(dim), places.unsqueeze(dim)) if keepdim else (values, places)


def bucketize(values: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Any:
    """In which of the intervals between the boundaries each value is."""
    return searchsorted(boundaries, values, out_int32=out_int32, right=right)


ORDER: dict[Any, Callable[..., Any]] = {
    aten.sort.default: sort,
    aten.sort.stable: sort,
    aten.kthvalue.default: kthvalue,
    aten.median.dim: median_along,
    aten.median.default: median,
    aten.nanmedian.dim: nanmedian_along,
    aten.nanmedian.default: nanmedian,
    aten.cummax.default: partial(running, largest=True),
    aten.cummin.default: partial(running, largest=False),
    aten.logcumsumexp.default: logcumsumexp,
    aten.searchsorted.Tensor: searchsorted,
    aten.bucketize.Tensor: bucketize,
    aten.histc.default: histc,
    aten.mode.default: mode,
}
