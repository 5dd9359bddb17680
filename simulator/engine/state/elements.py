"""Between the words of a datum and the elements a unit computes with.

A datum is uint32 [cycle, word, pe] with w0 the most significant word. It holds 1 to 4 words, the missing ones are zero;
an axis of length 1 for cycle or pe stands for "the same in all". Elements are [cycle, element, pe]: halves uint16,
singles uint32, doubles uint64, the most significant first (isa.md, sections 1 and 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.engine.state.memories import LongWords, Words

Elements = NDArray[Any]  # uint16, uint32 or uint64

WIDTH = {"d": 64, "l": 64, "f": 32, "g": 32, "i": 32, "h": 16, "s": 16}
ELEMENT: dict[int, np.dtype[Any]] = {64: np.dtype(np.uint64), 32: np.dtype(np.uint32), 16: np.dtype(np.uint16)}


def fit(datum: Words, words: int) -> Words:
    """Exactly `words` words: the first ones, or filled up with zeros."""
    present = datum.shape[1]
    if present == words:
        return datum
    if present > words:
        return datum[:, :words]
    full = np.zeros((datum.shape[0], words, datum.shape[2]), np.uint32)
    full[:, :present] = datum
    return full


def long_word(datum: Words, index: int) -> LongWords:
    """Long word `index` of the datum: [cycle, pe]."""
    pair = fit(datum[:, 2 * index : 2 * index + 2], 2)
    result: LongWords = pair[:, 0].astype(np.uint64) << np.uint64(32)
    result |= pair[:, 1]
    return result


def unpack(datum: Words, width: int, count: int) -> Elements:
    """The first `count` elements of `width` bits."""
    if width == 32:
        return fit(datum, count)
    if width == 64:
        return np.stack([long_word(datum, index) for index in range(count)], axis=1)
    words = fit(datum, (count + 1) // 2)
    halves = np.empty((words.shape[0], 2 * words.shape[1], words.shape[2]), np.uint16)
    halves[:, 0::2] = words >> np.uint32(16)
    halves[:, 1::2] = words & np.uint32(0xFFFF)
    return halves[:, :count]


def pack(elements: Elements) -> Words:
    """The words that hold the elements, from the most significant end on; an odd half is followed by zero."""
    if elements.dtype == np.uint32:
        return elements
    if elements.dtype == np.uint64:
        cycles, count, pes = elements.shape
        words = np.empty((cycles, 2 * count, pes), np.uint32)
        words[:, 0::2] = elements >> np.uint64(32)
        words[:, 1::2] = elements & np.uint64(0xFFFFFFFF)
        return words
    words = elements[:, 0::2].astype(np.uint32) << np.uint32(16)
    words[:, : elements.shape[1] // 2] |= elements[:, 1::2]
    return words


def split_long_words(values: LongWords) -> Words:
    """uint32 [..., 2]: high and low word of every long word."""
    words = np.empty((*values.shape, 2), np.uint32)
    words[..., 0] = values >> np.uint64(32)
    words[..., 1] = values & np.uint64(0xFFFFFFFF)
    return words


def join_words(high: Words, low: Words) -> LongWords:
    """Long words from their high and low words."""
    result: LongWords = high.astype(np.uint64) << np.uint64(32)
    result |= low
    return result


def split_elements(values: LongWords, width: int) -> Elements:
    """[..., 64 / width]: the elements of every long word, the most significant first."""
    shifts = np.arange(64 - width, -1, -width, dtype=np.uint64)
    elements: Elements = (values[..., None] >> shifts).astype(ELEMENT[width])
    return elements


def join_elements(elements: Elements) -> LongWords:
    """The inverse of `split_elements`."""
    width = 8 * elements.dtype.itemsize
    result = np.zeros(elements.shape[:-1], np.uint64)
    for index in range(elements.shape[-1]):
        result |= elements[..., index].astype(np.uint64) << np.uint64(64 - width * (index + 1))
    return result
