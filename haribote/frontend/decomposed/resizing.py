"""Images resized to known places: one product an axis, with the weights of its elements."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor
from typing import Any

import torch
from torch import Tensor, fx
from torch.nn import functional
from torch.utils._python_dispatch import _disable_current_modes

from haribote.core.from_onnx.resizing import Along, Floats, cubic_kernel, linear_kernel
from haribote.frontend.decomposed.windows import along_axes

aten = torch.ops.aten

AXES = {"bilinear": 2, "bicubic": 2}
"""Ways to interpolate that are products, and how many axes they resize. One axis takes less by torch's two picks; of
three axes three products take long to compile.
"""


@dataclass(frozen=True)
class Way:
    """How an axis is resized: by which curve, and whether that is as wide as what a new element covers."""

    kernel: Callable[[Floats], Floats]
    antialias: bool = False

    def matrices(
        self,
        sizes: Sequence[int],
        counts: Sequence[int],
        scales: Sequence[float | None],
        align_corners: bool,
        dtype: torch.dtype,
    ) -> list[Tensor]:
        """The weights along each axis, [new, old]. scales: the factors that were asked for, if any."""
        found = []
        for size, count, scale in zip(sizes, counts, scales or [None] * len(sizes), strict=True):
            ratio = count / size if align_corners or not scale else scale
            axis = Along(size, count, ratio, (0.0, 1.0))
            at = axis.coordinates("align_corners" if align_corners else "half_pixel")
            found.append(_constant(axis.weights(at, self.kernel, self.antialias, self.antialias), dtype))
        return found


LINEAR, CUBIC = Way(linear_kernel), Way(cubic_kernel)
SMOOTH, SMOOTH_CUBIC = Way(linear_kernel, antialias=True), Way(partial(cubic_kernel, a=-0.5), antialias=True)
"""torch's cubic curve has another parameter with antialiasing."""


def _constant(values: Floats, dtype: torch.dtype) -> Tensor:
    """A constant also for who traces this: made apart from that, and lifted into it."""
    with _disable_current_modes():
        found = torch.from_numpy(values).to(dtype)
    lifted: Tensor = aten.lift_fresh_copy.default(found)
    return lifted


def _forward(way: Way, rank: int) -> Callable[..., Any]:
    def resized(x: Tensor, output_size: list[int], align_corners: bool, *scales: float | None) -> Any:
        if not x.is_floating_point() or (way.antialias and align_corners):
            return NotImplemented
        return along_axes(x, way.matrices(x.shape[-rank:], output_size, scales, align_corners, x.dtype))

    return resized


def _backward(way: Way, rank: int) -> Callable[..., Any]:
    def backward(
        grad: Tensor, output_size: list[int], input_size: list[int], align_corners: bool, *scales: float | None
    ) -> Any:
        if way.antialias and align_corners:
            return NotImplemented
        found = way.matrices(input_size[-rank:], output_size, scales, align_corners, grad.dtype)
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
    way = CUBIC if mode == "bicubic" else LINEAR
    return along_axes(x, way.matrices(sizes, counts, scales, bool(align_corners), x.dtype))


def by_products(program: fx.GraphModule) -> fx.GraphModule:
    """The program with our `interpolate` for torch's; itself where it resizes nothing."""
    if not any(node.target is functional.interpolate for node in program.graph.nodes):
        return program
    graph = copy.deepcopy(program.graph)
    for node in graph.find_nodes(op="call_function", target=functional.interpolate):
        node.target = interpolate
    return fx.GraphModule(program, graph)


def _rows(way: Way, rank: int, name: str) -> dict[Any, Callable[..., Any]]:
    there, back = getattr(aten, name).default, getattr(aten, f"{name}_backward").default
    return {there: _forward(way, rank), back: _backward(way, rank)}


RESIZING: dict[Any, Callable[..., Any]] = {
    **_rows(LINEAR, 1, "upsample_linear1d"),
    **_rows(LINEAR, 2, "upsample_bilinear2d"),
    **_rows(LINEAR, 3, "upsample_trilinear3d"),
    **_rows(CUBIC, 2, "upsample_bicubic2d"),
    **_rows(SMOOTH, 2, "_upsample_bilinear2d_aa"),
    **_rows(SMOOTH_CUBIC, 2, "_upsample_bicubic2d_aa"),
}
