"""What scatters write, and adjoints of gathers, as NumPy arrays of indices.

All count elements flat and row-major; -1 is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


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
