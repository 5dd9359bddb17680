"""A digit, and what the network says of it while it learns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from haribote.data.dataset import Dataset, normalise
from haribote.data.pooling import pooled
from haribote.network import Network
from haribote.training.backends import Backend

Shares = tuple[float, ...]


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


def chosen_digit(drawn: NDArray[np.uint8] | None, data: Dataset, network: Network) -> Digit:
    """The digit that was drawn, or the first one of the test images. drawn: as MNIST has it; data: of 28 x 28."""
    picture = data.test_images[0] if drawn is None else drawn.reshape(28, 28)
    label = int(data.test_labels[0]) if drawn is None else None
    return Digit(picture, pooled(picture[None], network.side)[0], label, drawn is not None)


def answer(backend: Backend, digit: Digit, steps: int) -> Answer:
    """What the network says now."""
    row = backend.logits(normalise(digit.seen[None]))[0].astype(np.float64)
    shares = np.exp(row - row.max())
    return Answer(steps, tuple(float(share) for share in shares / shares.sum()))
