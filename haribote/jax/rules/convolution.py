"""Convolution in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering, rule
from haribote.jax.rules.shapes import padded
from simulator.messages import tr


@rule("conv_general_dilated")
def convolution(
    g: Lowering,
    x: Value,
    w: Value,
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Any,
    feature_group_count: int,
    batch_group_count: int,
) -> Held:
    """Conv, between transpositions to [batch, channels, ...]; zeros between the elements of x where it is dilated."""
    g.require(batch_group_count == 1 or feature_group_count == 1, tr("groups of the batch and of channels at once"))
    images, kernels = (
        _turned(g, Held(g.full(value), value.shape), order)
        for value, order in zip((x, w), dimension_numbers[:2], strict=True)
    )
    negative = any(low < 0 or high < 0 for low, high in padding)
    if negative or any(gap > 1 for gap in lhs_dilation):
        around = [(low, high, gap - 1) for (low, high), gap in zip(padding, lhs_dilation, strict=True)]
        images = padded(g, images, [(0, 0, 0), (0, 0, 0), *around], 0, x)
        padding = [(0, 0)] * len(padding)
    if batch_group_count > 1:
        images = _groups_as_channels(g, images, batch_group_count)
    name = g.node(
        "Conv",
        images.name,
        kernels.name,
        kernel_shape=list(kernels.shape[2:]),
        strides=list(window_strides),
        pads=[low for low, _ in padding] + [high for _, high in padding],
        dilations=list(rhs_dilation),
        group=max(feature_group_count, batch_group_count),
    )
    order = dimension_numbers[2]
    shape = tuple(g.result.shape[axis] for axis in order)
    return _turned(g, Held(name, shape), list(np.argsort(order)))


def _turned(g: Lowering, x: Held, order: Sequence[int]) -> Held:
    order = [int(axis) for axis in order]
    if order == sorted(order):
        return x
    return Held(g.node("Transpose", x.name, perm=order, part="turned"), tuple(x.shape[axis] for axis in order))


def _groups_as_channels(g: Lowering, x: Held, groups: int) -> Held:
    """[groups * batch, channels, ...] as [batch, groups * channels, ...]."""
    batch, channels, *rest = x.shape
    apart = g.reshaped(x, (groups, batch // groups, channels, *rest))
    swapped = _turned(g, apart, [1, 0, *range(2, len(apart.shape))])
    return g.reshaped(swapped, (batch // groups, groups * channels, *rest))
