"""Indices of gathers: windows of convolutions and pools, what scatters write, and adjoints, as NumPy arrays.

All count elements flat and row-major; -1 is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def windows(
    shape: Sequence[int],
    kernel: Sequence[int],
    out: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
) -> Ints:
    """Which element of an image each place of each window is: int64 [N, C, *kernel, *out], -1 in the padding.

    shape: [N, C, *spatial]; out: positions along every spatial axis; pads: as ONNX has them, beginnings and then ends
    (which follow from `out`).
    """
    rank = len(kernel)
    found = np.arange(shape[0] * shape[1], dtype=np.int64).reshape([*shape[:2], *[1] * (2 * rank)])
    inside = np.ones([1] * found.ndim, np.bool_)
    for axis in range(rank):
        steps = np.arange(kernel[axis])[:, None] * dilations[axis] - pads[axis]
        along = steps + np.arange(out[axis])[None, :] * strides[axis]
        placed = [1] * found.ndim
        placed[2 + axis], placed[2 + rank + axis] = along.shape
        along = along.reshape(placed)
        inside = inside & (along >= 0) & (along < shape[2 + axis])
        found = found * shape[2 + axis] + along
    return np.where(inside, found, -1)


def patches(found: Ints, groups: int = 1) -> Ints:
    """Windows as the matrix of a convolution: int64 [groups, N, *out, C / groups * kernel]."""
    images, channels = found.shape[:2]
    rank = (found.ndim - 2) // 2
    split = found.reshape([images, groups, channels // groups, *found.shape[2:]])
    order = [1, 0, *range(3 + rank, 3 + 2 * rank), 2, *range(3, 3 + rank)]
    ordered = split.transpose(order)
    return ordered.reshape([*ordered.shape[: 2 + rank], -1])


def pooled(found: Ints) -> Ints:
    """Windows as terms of every element of a pool's output: int64 [kernel, N, C, *out]."""
    rank = (found.ndim - 2) // 2
    ordered = found.transpose([*range(2, 2 + rank), 0, 1, *range(2 + rank, 2 + 2 * rank)])
    return ordered.reshape([-1, *ordered.shape[rank:]])


def adjoint(index: NDArray[Any], count: int) -> Ints:
    """Where each of `count` source elements goes to: int64 [terms, count], in ascending order, -1 behind them.

    The sum of these terms is the gradient of a gather by `index`.
    """
    flat = np.asarray(index, np.int64).ravel()
    order = np.argsort(flat, kind="stable")
    order = order[flat[order] >= 0]
    sorted_flat = flat[order]
    rank = np.arange(len(order)) - np.searchsorted(sorted_flat, sorted_flat)
    terms = np.full((int(rank.max(initial=0)) + 1, count), -1, np.int64)
    terms[rank, sorted_flat] = order
    return terms


def scattered(shape: Sequence[int], indices: NDArray[Any], axis: int | None = None) -> Ints:
    """Where the elements of updates go to in data of a shape. axis: of ScatterElements, whose updates have the shape of
    `indices`; None for ScatterND. Negative indices count from the end.
    """
    if axis is not None:
        along: list[NDArray[Any]] = list(np.indices(indices.shape))
        along[axis] = np.where(indices < 0, indices + shape[axis], indices)
        return np.asarray(np.ravel_multi_index(tuple(along), tuple(shape)), np.int64)
    depth = indices.shape[-1]
    sizes = np.array(shape[:depth])
    rows = np.where(indices < 0, indices + sizes, indices)
    first = np.ravel_multi_index(tuple(np.moveaxis(rows, -1, 0)), tuple(shape[:depth])) if depth else np.zeros(())
    inner = int(np.prod(shape[depth:]))
    numbers = np.asarray(first, np.int64)[..., None] * inner + np.arange(inner)
    return numbers.reshape([*indices.shape[:-1], *shape[depth:]])
