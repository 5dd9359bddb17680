"""Bags of rows of a table, summed, averaged or their maxima, and the gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten
SUM, MEAN, MAX = range(3)
"""What torch calls the modes."""


def _bag_of(rows: Tensor, offsets: Tensor, include_last_offset: bool, padding: int) -> tuple[Tensor, Tensor]:
    """The number of each row's bag, and whether the row counts, [rows] both."""
    ends = offsets[:-1] if include_last_offset else offsets
    numbers = torch.arange(rows.numel(), dtype=ends.dtype)
    counts = rows != padding
    counts = counts & (numbers < offsets[-1]) if include_last_offset else counts
    return torch.searchsorted(ends, numbers, right=True) - 1, counts


def _inside(bag: Tensor, counts: Tensor, bags: int) -> Tensor:
    """Which rows are in which bag, [bags, rows]."""
    return (bag.unsqueeze(0) == torch.arange(bags).unsqueeze(1)) & counts


def embedding_bag(
    table: Tensor, rows: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = SUM,
    sparse: bool = False, weights: Tensor | None = None, include_last_offset: bool = False, padding: int = -1,
) -> Any:  # fmt: skip
    """What each bag of rows is together; then what the gradients need: each row's bag, -1 where the row does not count,
    how many rows each bag has, and of maxima the rows in which they are, -1 in an empty bag.
    """
    bags = offsets.numel() - include_last_offset
    if not rows.numel() or not bags:
        return NotImplemented
    bag, counts = _bag_of(rows, offsets, include_last_offset, padding)
    inside = _inside(bag, counts, bags)
    picked, there = table.index_select(0, rows), inside.to(table.dtype)
    places = torch.zeros(0, dtype=rows.dtype)
    if mode == MAX:
        seen = torch.where(inside.unsqueeze(-1), picked, float("-inf"))
        most, first = seen.max(1)
        some = inside.any(1, keepdim=True)
        found, places = torch.where(some, most, 0.0), torch.where(some, rows[first], -1)
    else:
        found = (there if weights is None else there * weights) @ picked
        found = found / there.sum(1, keepdim=True).clamp(min=1) if mode == MEAN else found
    return found, torch.where(counts, bag, -1), inside.to(torch.int64).sum(1), places


def embedding_bag_forward_only(*given: Any) -> Any:
    """The same where no gradient follows."""
    found = embedding_bag(*given)
    none = torch.zeros(0, dtype=torch.int64)
    return found if found is NotImplemented else (found[0], none, none, none)


def embedding_bag_backward(
    grad: Tensor, rows: Tensor, offsets: Tensor, bag: Tensor, sizes: Tensor, places: Tensor, table_rows: int,
    scale_grad_by_freq: bool, mode: int, sparse: bool, weights: Tensor | None, padding: int = -1,
) -> Any:  # fmt: skip
    """By the table."""
    if scale_grad_by_freq or sparse:
        return NotImplemented
    numbers = torch.arange(table_rows).unsqueeze(1)
    if mode == MAX:
        hit = (numbers.unsqueeze(-1) == places).to(grad.dtype)
        return (hit * grad).sum(1)
    there = _inside(bag, bag >= 0, grad.shape[0]).to(grad.dtype)
    there = there if weights is None else there * weights
    share = grad / sizes.clamp(min=1).unsqueeze(1) if mode == MEAN else grad
    return (numbers == rows).to(grad.dtype) @ (there.t() @ share)


def by_weights(
    grad: Tensor, table: Tensor, rows: Tensor, offsets: Tensor, bag: Tensor, mode: int, padding: int = -1
) -> Tensor:
    """By the weights of rows."""
    share = grad.index_select(0, bag.clamp(min=0)) * table.index_select(0, rows)
    return torch.where(bag >= 0, share.sum(1), 0.0)


BAGS: dict[Any, Callable[..., Any]] = {
    aten._embedding_bag.default: embedding_bag,
    aten._embedding_bag_forward_only.default: embedding_bag_forward_only,
    aten._embedding_bag_backward.default: embedding_bag_backward,
    aten._embedding_bag_per_sample_weights_backward.default: by_weights,
}
