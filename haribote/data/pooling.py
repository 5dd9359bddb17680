"""Digits of fewer pixels: what the small network reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from haribote.data.dataset import Dataset

BORDER = 4
"""Pixels at each edge of MNIST's images in which no digit is drawn: a digit is fitted into the 20x20 in the middle."""


def pooled(images: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Images [n, 28, 28] as [n, side, side]: each pixel is the mean of a square of the 20x20 in the middle, rounded.

    side: 28 (the images as they are), or a divisor of 20.
    """
    if side == images.shape[1]:
        return images
    middle = images[:, BORDER:-BORDER, BORDER:-BORDER]
    each = middle.shape[1] // side
    squares = middle.reshape(len(images), side, each, side, each)
    means: NDArray[np.uint8] = ((squares.sum((2, 4), dtype=np.uint32) + each * each // 2) // (each * each)).astype(
        np.uint8
    )
    return means


def at_side(data: Dataset, side: int) -> Dataset:
    """The data set with all its images of side x side pixels."""
    return replace(data, train_images=pooled(data.train_images, side), test_images=pooled(data.test_images, side))
