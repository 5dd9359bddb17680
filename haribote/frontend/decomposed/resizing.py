"""Images resized to known places: one product an axis, with the weights of its elements."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from math import floor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, fx
from torch.nn import functional
from torch.utils._python_dispatch import _disable_current_modes

from haribote.frontend.decomposed.sampling import CURVE, cubic
from haribote.frontend.decomposed.windows import along_axes

aten = torch.ops.aten

SMOOTH_CURVE = -0.5
"""The parameter of torch's cubic curves with antialiasing."""
AXES = {"bilinear": 2, "bicubic": 2}
"""Ways to interpolate that are products, and how many axes they resize. One axis takes less by torch's two picks; of
three axes three products take long to compile.
"""

Weights = Callable[[int, int, float | None], NDArray[np.float64]]
"""The weights [new, old] of an axis by its sizes, old and new, and the factor that was asked for, if any."""


def _places(size: int, count: int, scale: float | None, align_corners: bool) -> NDArray[np.float64]:
    """Where the new elements of an axis lie among the old ones, [new, 1]."""
    numbers = np.arange(float(count))[:, None]
    if align_corners:
        return numbers * ((size - 1) / max(count - 1, 1))
    return (numbers + 0.5) * (1 / scale if scale else size / count) - 0.5


def _linear(align_corners: bool) -> Weights:
    def weights(size: int, count: int, scale: float | None) -> NDArray[np.float64]:
        at = _places(size, count, scale, align_corners).clip(0, size - 1)
        return (1 - abs(at - np.arange(size))).clip(min=0)

    return weights


def _cubic(align_corners: bool) -> Weights:
    def weights(size: int, count: int, scale: float | None) -> NDArray[np.float64]:
        at = _places(size, count, scale, align_corners)
        found = np.zeros((count, size))
        for tap in range(-1, 3):
            place = np.floor(at) + tap
            found += (place.clip(0, size - 1) == np.arange(size)) * cubic(abs(at - place), tap in (0, 1), CURVE)
        return found

    return weights


def _smoothed(curved: bool) -> Weights:
    """Of an antialiased resize: a triangle or a cubic curve as wide as what a new element covers."""

    def weights(size: int, count: int, scale: float | None) -> NDArray[np.float64]:
        width = max(1 / scale if scale else size / count, 1.0)
        centres, reach = _places(size, count, scale, False) + 0.5, (2 if curved else 1) * width
        numbers = np.arange(size)
        seen = (numbers >= np.floor(centres - reach + 0.5)) & (numbers < np.floor(centres + reach + 0.5))
        far = abs(numbers + 0.5 - centres) / width
        near = (1 - far).clip(min=0)
        if curved:
            outer = np.where(far < 2, cubic(far, False, SMOOTH_CURVE), 0.0)
            near = np.where(far < 1, cubic(far, True, SMOOTH_CURVE), outer)
        found = np.where(seen, near, 0.0)
        return np.asarray(found / found.sum(1, keepdims=True))

    return weights


def _matrices(
    weights: Weights, sizes: Sequence[int], counts: Sequence[int], scales: Sequence[float | None], dtype: torch.dtype
) -> list[Tensor]:
    """The weights along each axis."""
    axes = zip(sizes, counts, scales or [None] * len(sizes), strict=True)
    return [_constant(weights(*axis), dtype) for axis in axes]


def _constant(values: NDArray[np.float64], dtype: torch.dtype) -> Tensor:
    """A constant also for who traces this: made apart from that, and lifted into it."""
    with _disable_current_modes():
        found = torch.from_numpy(values).to(dtype)
    lifted: Tensor = aten.lift_fresh_copy.default(found)
    return lifted


def _forward(kind: Callable[[bool], Weights], rank: int) -> Callable[..., Any]:
    def resized(x: Tensor, output_size: list[int], align_corners: bool, *scales: float | None) -> Any:
        if not x.is_floating_point():
            return NotImplemented
        return along_axes(x, _matrices(kind(align_corners), x.shape[-rank:], output_size, scales, x.dtype))

    return resized


def _backward(kind: Callable[[bool], Weights], rank: int) -> Callable[..., Any]:
    def backward(
        grad: Tensor, output_size: list[int], input_size: list[int], align_corners: bool, *scales: float | None
    ) -> Any:
        found = _matrices(kind(align_corners), input_size[-rank:], output_size, scales, grad.dtype)
        return along_axes(grad, [matrix.t() for matrix in found])

    return backward


def interpolate(
    x: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """torch.nn.functional.interpolate, as products where they say it: torch itself would pick elements one by one."""
    if mode not in AXES or antialias or not x.is_floating_point():
        return functional.interpolate(x, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias)
    rank = AXES[mode]
    sizes, asked = x.shape[-rank:], size if size is not None else scale_factor
    each = list(asked) if isinstance(asked, Sequence) else [asked] * rank
    counts = each if size is not None else [floor(old * factor) for old, factor in zip(sizes, each, strict=True)]
    scales = [None] * rank if size is not None or recompute_scale_factor else each
    weights = (_cubic if mode == "bicubic" else _linear)(bool(align_corners))
    return along_axes(x, _matrices(weights, sizes, counts, scales, x.dtype))


def by_products(program: fx.GraphModule) -> fx.GraphModule:
    """The program with our `interpolate` for torch's; itself where it resizes nothing."""
    if not any(node.target is functional.interpolate for node in program.graph.nodes):
        return program
    graph = copy.deepcopy(program.graph)
    for node in graph.find_nodes(op="call_function", target=functional.interpolate):
        node.target = interpolate
    return fx.GraphModule(program, graph)


def _rows(kind: Callable[[bool], Weights], rank: int, name: str) -> dict[Any, Callable[..., Any]]:
    there, back = getattr(aten, name).default, getattr(aten, f"{name}_backward").default
    return {there: _forward(kind, rank), back: _backward(kind, rank)}


RESIZING: dict[Any, Callable[..., Any]] = {
    **_rows(_linear, 1, "upsample_linear1d"),
    **_rows(_linear, 2, "upsample_bilinear2d"),
    **_rows(_linear, 3, "upsample_trilinear3d"),
    **_rows(_cubic, 2, "upsample_bicubic2d"),
    **_rows(lambda _: _smoothed(False), 2, "_upsample_bilinear2d_aa"),
    **_rows(lambda _: _smoothed(True), 2, "_upsample_bicubic2d_aa"),
}
