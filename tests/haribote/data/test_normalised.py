"""Normalised images can be used as the array that they stand for: whatever a learner's loop does with them."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.data import NormalisedImages, normalise

RAW = np.random.default_rng(0).integers(0, 256, (7, 4, 4), dtype=np.uint8)
WHOLE = normalise(RAW)

USES = [
    lambda images: len(images),
    lambda images: (images.shape, images.ndim, images.size, images.dtype),
    lambda images: images[np.array([3, 1, 1])],
    lambda images: images[[0, 2]],
    lambda images: images[2:5],
    lambda images: images[-1],
    lambda images: images[3, 5],
    lambda images: images[:, 2],
    lambda images: images[images.shape[0] - 1 :: -2],
    lambda images: images[np.arange(7) % 2 == 0],
    lambda images: list(images),
    lambda images: list(zip(images, range(3), strict=False))[-1][0],
    lambda images: np.asarray(images),
    lambda images: np.array(images, np.float64),
    lambda images: np.concatenate([images, images]),
    lambda images: np.stack([images[0], images[1]]),
    lambda images: np.take(images, [1, 2], axis=0),
    lambda images: images.reshape(7, 4, 4),
    lambda images: images.mean(),
    lambda images: images * 2 + 1,
    lambda images: np.maximum(0, images),
    lambda images: images.copy()[0],
    lambda images: (images[0] == images).all(axis=1),
    lambda images: np.split(images, [2]),
]


@pytest.mark.parametrize("use", USES)
def test_every_use_gives_what_the_array_gives(use):
    received, expected = use(NormalisedImages(RAW)), use(WHOLE)
    assert type(received) is type(expected)
    for one, other in zip(received, expected, strict=True) if isinstance(expected, list) else [(received, expected)]:
        np.testing.assert_equal(one, other)


def test_what_no_array_has_is_an_error_that_names_it():
    with pytest.raises(AttributeError, match="colour"):
        assert NormalisedImages(RAW).colour
    with pytest.raises(IndexError):
        assert NormalisedImages(RAW)[7]
