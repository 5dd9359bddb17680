"""Averages over windows of 1, 2 or 3 axes as one product an axis: with 1 where a window sees an element, else 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

aten = torch.ops.aten


@dataclass(frozen=True, eq=False)
class Axis:
    """For each window of an axis of `size` elements: the first position that it sees, the one behind its last, and how
    many it counts, [windows] int64 each."""

    size: int
    starts: Tensor
    ends: Tensor
    counts: Tensor

    def seen(self, dtype: torch.dtype) -> Tensor:
        """1 where a window sees an element, [windows, size]."""
        places = torch.arange(self.size)
        return ((places >= self.starts.unsqueeze(1)) & (places < self.ends.unsqueeze(1))).to(dtype)


def _along(size: int, kernel: int, stride: int, padding: int, ceil_mode: bool, with_padding: bool) -> Axis:
    rest = size + 2 * padding - kernel
    windows = (-(-rest // stride) if ceil_mode else rest // stride) + 1
    if ceil_mode and (windows - 1) * stride >= size + padding:  # a window must begin in the image or before it
        windows -= 1
    starts = torch.arange(windows) * stride - padding
    ends = (starts + kernel).clamp(max=size + padding)
    counts = ends - starts if with_padding else ends.clamp(max=size) - starts.clamp(min=0)
    return Axis(size, starts, ends, counts)


def adaptive_axis(size: int, windows: int) -> Axis:
    """Windows of about the same size: beginnings are rounded down, ends up."""
    numbers = torch.arange(windows)
    starts = torch.div(numbers * size, windows, rounding_mode="floor")
    ends = torch.div((numbers + 1) * size + windows - 1, windows, rounding_mode="floor")
    return Axis(size, starts, ends, ends - starts)


def _each(given: Sequence[int], rank: int) -> list[int]:
    return list(given) * (rank // len(given))


def _axes(
    sizes: Sequence[int], kernel: list[int], stride: list[int], padding: list[int], ceil_mode: bool, with_padding: bool
) -> list[Axis]:
    rank = len(sizes)
    steps = zip(sizes, _each(kernel, rank), _each(stride or kernel, rank), _each(padding, rank), strict=True)
    return [_along(*each, ceil_mode, with_padding) for each in steps]


def _shares(axes: Sequence[Axis], divisor: int | None, dtype: torch.dtype) -> Tensor:
    """What each window divides its sum by, as a factor."""
    if divisor is not None:
        return torch.full((), 1 / divisor, dtype=dtype)
    found = torch.ones((), dtype=dtype)
    for axis in axes:
        found = found.unsqueeze(-1) * (1 / axis.counts.to(dtype))
    return found


def along_axes(x: Tensor, matrices: Sequence[Tensor]) -> Tensor:
    """The last axes times a matrix [new, old] each."""
    for number, matrix in enumerate(matrices):
        axis = x.dim() - len(matrices) + number
        x = torch.matmul(x.movedim(axis, -1), matrix.t()).movedim(-1, axis)
    return x.contiguous()


def _averaged(x: Tensor, axes: Sequence[Axis], divisor: int | None) -> Tensor:
    return along_axes(x, [axis.seen(x.dtype) for axis in axes]) * _shares(axes, divisor, x.dtype)


def _spread(grad: Tensor, axes: Sequence[Axis], divisor: int | None) -> Tensor:
    return along_axes(grad * _shares(axes, divisor, grad.dtype), [axis.seen(grad.dtype).t() for axis in axes])


def _pool(rank: int) -> Callable[..., Any]:
    def average(
        x: Tensor, kernel: list[int], stride: list[int] = [], padding: list[int] = [0],  # noqa: B006  (torch's)
        ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Any:  # fmt: skip
        ruled = rank == 2 and x.dim() == 4 and not ceil_mode and divisor_override is None  # one of ONNX's
        if not x.is_floating_point() or ruled:
            return NotImplemented
        axes = _axes(x.shape[-rank:], kernel, stride, padding, ceil_mode, count_include_pad)
        return _averaged(x, axes, divisor_override)

    return average


def _pool_backward(rank: int) -> Callable[..., Any]:
    def backward(
        grad: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int], ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Any:  # fmt: skip
        axes = _axes(x.shape[-rank:], kernel, stride, padding, ceil_mode, count_include_pad)
        return _spread(grad, axes, divisor_override)

    return backward


def adaptive(x: Tensor, output_size: list[int]) -> Any:
    """Windows of about the same size, as many as are asked for."""
    rank = len(output_size)
    return _averaged(x, [adaptive_axis(*pair) for pair in zip(x.shape[-rank:], output_size, strict=True)], None)


def _adaptive_backward(rank: int) -> Callable[..., Any]:
    def backward(grad: Tensor, x: Tensor) -> Any:
        pairs = zip(x.shape[-rank:], grad.shape[-rank:], strict=True)
        return _spread(grad, [adaptive_axis(*pair) for pair in pairs], None)

    return backward


WINDOWS: dict[Any, Callable[..., Any]] = {
    aten.avg_pool2d.default: _pool(2),
    aten.avg_pool3d.default: _pool(3),
    aten.avg_pool3d_backward.default: _pool_backward(3),
    aten.avg_pool2d_backward.default: _pool_backward(2),
    aten._adaptive_avg_pool3d.default: adaptive,
    aten._adaptive_avg_pool3d_backward.default: _adaptive_backward(3),
    aten._adaptive_avg_pool2d_backward.default: _adaptive_backward(2),
}
