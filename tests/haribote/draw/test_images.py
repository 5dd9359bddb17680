"""draw.digits: the images, labels and guesses that were given."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from haribote import draw
from haribote.errors import HariboteError
from simulator.language import spoken
from simulator.pictures import Picture
from tests.haribote.picture_checks import SVG, check_picture, texts, tree


def pixels(picture: Picture) -> list[NDArray[np.uint8]]:
    found = []
    for image in tree(picture).iter(f"{SVG}image"):
        data = re.sub("^data:image/png;base64,", "", image.get("href", ""))
        found.append(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))))
    return found


@pytest.mark.parametrize("shape", [(5, 28, 28), (5, 784), (5, 1, 28, 28)])
def test_images_are_those_that_were_given(shape: tuple[int, ...]) -> None:
    images = np.random.default_rng(0).integers(0, 256, (5, 28, 28)).astype(np.uint8)
    images[0, 0, :2] = 0, 255
    picture = check_picture(lambda: draw.digits(images.reshape(shape)))
    assert np.array_equal(pixels(picture), images)
    scaled = draw.digits((images / 255.0 - 0.13).reshape(shape))
    assert np.array_equal(pixels(scaled), images)


def test_labels_and_guesses() -> None:
    images = np.random.default_rng(0).random((12, 28, 28))
    picture = check_picture(lambda: draw.digits(images, labels=np.arange(12) % 10, guesses=[0, 1, 3] + [7] * 9))
    found = texts(picture)
    assert found[:6] == ["0", "guess 0 ✓", "1", "guess 1 ✓", "2", "guess 3 ✗"]
    assert "a 2, guessed 3" in picture.text and len(pixels(picture)) == 12
    with spoken("ja"):
        assert texts(draw.digits(images[:1], labels=[2], guesses=[3])) == ["2", "答え 3 ✗"]
    check_picture(lambda: draw.digits(images[0]))
    assert "the first 40 of 60,000 images" in texts(draw.digits(np.zeros((60_000, 28, 28), np.uint8)))


def test_images_that_are_none() -> None:
    for images, labels in ((np.zeros((2, 3)), None), (np.zeros((0, 28, 28)), None), (np.zeros((3, 28, 28)), [1])):
        with pytest.raises(HariboteError):
            draw.digits(images, labels=labels)
