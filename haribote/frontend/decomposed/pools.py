"""Maxima over windows that ONNX's pools do not have, with the numbers of their places, and gradients by these."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from torch import Tensor

from haribote.frontend.decomposed.windows import adaptive_axis

aten = torch.ops.aten


def _windows(size: int, count: int) -> Tensor:
    """The positions that each of `count` windows of about the same size sees, [count, longest]; -1 behind its end."""
    axis = adaptive_axis(size, count)
    longest = max(-(-(k + 1) * size // count) - k * size // count for k in range(count))
    places = axis.starts.unsqueeze(1) + torch.arange(longest)
    return torch.where(places < axis.ends.unsqueeze(1), places, -1)


def adaptive_max(x: Tensor, output_size: list[int]) -> Any:
    """The maxima of windows of about the same size, as many as are asked for, and where in its image each one is."""
    rank = len(output_size)
    image = x.shape[-rank:]
    if not x.is_floating_point() or not x.numel() or not prod(output_size):
        return NotImplemented
    flat = torch.zeros((), dtype=torch.int64)
    inside = torch.ones((), dtype=torch.bool)
    for size, count in zip(image, output_size, strict=True):
        along = _windows(size, count)
        shape = (*flat.shape[:-1], 1, flat.shape[-1], 1) if flat.dim() else (1, 1, 1)
        kept = (*inside.shape[:-1], 1, inside.shape[-1], 1) if inside.dim() else (1, 1, 1)
        flat = (flat.reshape(shape) * size + along.unsqueeze(-2).clamp(min=0)).flatten(-2)
        inside = (inside.reshape(kept) & (along >= 0).unsqueeze(-2)).flatten(-2)
    seen = x.reshape(*x.shape[:-rank], prod(image)).index_select(-1, flat.reshape(-1))
    seen = torch.where(inside, seen.reshape(*x.shape[:-rank], *flat.shape), float("-inf"))
    most = seen.amax(-1)
    beyond = prod(image)
    numbers = torch.where(inside, flat, beyond)
    places = torch.where(seen == most.unsqueeze(-1), numbers, beyond).amin(-1)
    return most, places


def by_places(rank: int) -> Callable[..., Tensor]:
    """The gradient of maxima, by where they are."""

    def backward(grad: Tensor, x: Tensor, *given: Any) -> Tensor:
        places = given[-1]
        rows = x.shape[:-rank]
        zeros = torch.zeros((*rows, prod(x.shape[-rank:])), dtype=x.dtype)
        flat = places.reshape(*rows, -1), grad.reshape(*rows, -1)
        return zeros.scatter_add(-1, *flat).reshape(x.shape)

    return backward


POOLS: dict[Any, Callable[..., Any]] = {
    aten.adaptive_max_pool2d.default: adaptive_max,
    aten.adaptive_max_pool3d.default: adaptive_max,
    aten.adaptive_max_pool2d_backward.default: by_places(2),
    aten.adaptive_max_pool3d_backward.default: by_places(3),
    aten.max_pool3d_with_indices_backward.default: by_places(3),
}
