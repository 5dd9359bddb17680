"""Arrays whose rows, with an entry for every PE or MAB, lie where a processor's caches like them.

A row of 4,096 words takes 16 KiB. Were rows one behind the other, the words of some PEs would lie a power of two apart
from row to row, and a cache keeps few of such lines at once. So a gap follows every row, a sixteenth of its length; and
rows begin on cache lines, so that no vector of words lies across two of them.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CACHE_LINE = 64  # bytes
PARTS = 16  # of a row: the gap is as long as one of them


def zeros(shape: tuple[int, ...], dtype: DTypeLike, axis: int = -1) -> NDArray[Any]:
    """Zeros; rows are what one index of the axes before `axis` names. Memory is taken where it is touched first."""
    lengths = list(shape)
    lengths[axis] += lengths[axis] // PARTS
    size = prod(lengths) * np.dtype(dtype).itemsize
    flat = np.zeros(size + CACHE_LINE, np.uint8)
    start = -flat.ctypes.data % CACHE_LINE
    array = flat[start : start + size].view(dtype).reshape(lengths)
    return array[tuple(map(slice, shape))]


def in_rows(array: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """The array where it lies as those of `zeros` do and can be written to, else a copy that does."""
    distance = array.itemsize
    wanted = []
    for index in reversed(range(array.ndim)):
        wanted.append(distance)
        length = array.shape[index]
        distance *= length + (length // PARTS if index == axis % array.ndim else 0)
    if array.flags.writeable and array.strides == tuple(reversed(wanted)) and array.ctypes.data % CACHE_LINE == 0:
        return array
    copy = zeros(array.shape, array.dtype, axis)
    copy[...] = array
    return copy
