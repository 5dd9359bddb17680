"""A digit, and what the network says of it while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haribote.data.dataset import Dataset, normalise
from haribote.data.pooling import pooled
from haribote.network import Network
from haribote.training.backends import Backend

Shares = tuple[float, ...]
CANDIDATES = 32
"""Test images of which one is shown."""


@dataclass(frozen=True)
class Digit:
    """picture: uint8 [28, 28]. seen: what the network reads of it, [side, side]. label: what it is, None if not known.

    drawn: whether it is the learner's own.
    """

    picture: NDArray[np.uint8]
    seen: NDArray[np.uint8]
    label: int | None
    drawn: bool


@dataclass(frozen=True)
class Answer:
    """What the network says after so many steps: a share for each of the ten digits, together 1."""

    steps: int
    shares: Shares

    @property
    def digit(self) -> int:
        """The likeliest."""
        return int(np.argmax(self.shares))


def digits(drawn: NDArray[np.uint8] | None, data: Dataset, network: Network) -> list[Digit]:
    """The digit that was drawn, or the first test images. drawn: as MNIST has it; data: of 28 x 28."""
    if drawn is not None:
        picture = drawn.reshape(28, 28)
        return [Digit(picture, pooled(picture[None], network.side)[0], None, True)]
    pictures = data.test_images[:CANDIDATES]
    seen = pooled(pictures, network.side)
    labels = map(int, data.test_labels[:CANDIDATES])
    return [Digit(*one, drawn=False) for one in zip(pictures, seen, labels, strict=True)]


def answers(backend: Backend, asked: Sequence[Digit], steps: int) -> list[Answer]:
    """What the network says of each digit now."""
    rows = backend.logits(normalise(np.stack([digit.seen for digit in asked]))).astype(np.float64)
    shares = np.exp(rows - rows.max(axis=1, keepdims=True))
    return [Answer(steps, tuple(map(float, row))) for row in shares / shares.sum(axis=1, keepdims=True)]


def shown(asked: Sequence[Digit], last: Sequence[Answer]) -> int:
    """The first digit that the last answers have right; the first of all where there is none."""
    right = (n for n, (digit, answer) in enumerate(zip(asked, last, strict=True)) if digit.label == answer.digit)
    return next(right, 0)
