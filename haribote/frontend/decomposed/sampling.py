"""Images at places of a grid that is computed: one product or sum an axis, with the weights of its elements."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import torch
from torch import Tensor

from haribote.core.from_onnx.resizing import CUBIC as CURVE
from haribote.frontend.decomposed.gradients import gradients

aten = torch.ops.aten

LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
"""torch's numbers of ways to interpolate, and of what is beyond an image."""
MOST = 1 << 19
"""Elements of what is between two products, some 128 words a PE: larger images stay with PyTorch."""


def grid_sampler(x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
    """x [n, c, sizes…] at the places of grid [n, places…, axes], from -1 to 1, the last axis first."""
    axes, places = grid.shape[-1], grid.shape[1:-1]
    flat = grid.reshape(len(grid), prod(places), axes)
    for number in range(axes):
        size = x.shape[1 + axes - number]
        scale = (size - 1) / 2 if align_corners else size / 2
        weights = _weights(flat[..., number] * scale + (size - 1) / 2, size, mode, padding, align_corners)
        if number == 0:
            rows = x.reshape(len(x), prod(x.shape[1:-1]), size) @ weights.transpose(1, 2)
            x = rows.reshape(*x.shape[:-1], rows.shape[-1])
        else:
            weights = weights.transpose(1, 2).reshape(len(x), *[1] * (x.dim() - 3), size, x.shape[-1])
            x = (x * weights).sum(-2)
    return x.reshape(*x.shape[:2], *places)


def _weights(at: Tensor, size: int, mode: int, padding: int, corners: bool) -> Tensor:
    """What each element of an axis counts at each place, [n, places, size]."""
    if mode == NEAREST:
        return _ones(_inside(at, size, padding, corners).round(), size)
    at = at if mode == CUBIC else _inside(at, size, padding, corners)
    floor = at.floor()
    part = at - floor
    if mode == LINEAR:
        return _ones(floor, size) * (1 - part).unsqueeze(-1) + _ones(floor + 1, size) * part.unsqueeze(-1)
    found = torch.zeros((), dtype=at.dtype)
    for tap in range(-1, 3):
        there = _ones(_inside(floor + tap, size, padding, corners), size)
        found = found + there * _cubic((part - tap).abs(), near=tap in (0, 1)).unsqueeze(-1)
    return found


def _cubic(far: Tensor, near: bool) -> Tensor:
    """The curve at a distance, below 1 or from 1 to 2."""
    if near:
        return ((CURVE + 2) * far - (CURVE + 3)) * far * far + 1
    return ((CURVE * far - 5 * CURVE) * far + 8 * CURVE) * far - 4 * CURVE


def _ones(at: Tensor, size: int) -> Tensor:
    """1 at the element of this number, [n, places, size]."""
    return (at.unsqueeze(-1) == torch.arange(size)).to(at.dtype)


def _inside(at: Tensor, size: int, padding: int, corners: bool) -> Tensor:
    """Places beyond the image as places in it."""
    if padding == ZEROS:
        return at
    if padding == REFLECTION:
        low, width = (0.0, size - 1.0) if corners else (-0.5, float(size))
        if not width:
            return torch.zeros_like(at)
        far = (at - low).abs()
        turns = (far / width).floor()
        rest = far - turns * width
        at = low + torch.where(turns - 2 * (turns / 2).floor() == 0, rest, width - rest)
    return at.clamp(0, size - 1)


def _fits(x: Tensor, grid: Tensor) -> bool:
    return prod(x.shape[:-1]) * prod(grid.shape[1:-1]) <= MOST


def _forward(x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Any:
    return grid_sampler(x, grid, mode, padding, align_corners) if _fits(x, grid) else NotImplemented


def _backward(
    grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool, wanted: list[bool]
) -> Any:
    """By the image and by the grid."""
    if not _fits(x, grid):
        return NotImplemented
    found = gradients(lambda x, grid: grid_sampler(x, grid, mode, padding, align_corners), [x, grid], grad)
    return tuple(one if asked else None for one, asked in zip(found, wanted, strict=True))


SAMPLING: dict[Any, Callable[..., Any]] = {
    aten.grid_sampler_2d.default: _forward,
    aten.grid_sampler_3d.default: _forward,
    aten.grid_sampler_2d_backward.default: _backward,
    aten.grid_sampler_3d_backward.default: _backward,
}
