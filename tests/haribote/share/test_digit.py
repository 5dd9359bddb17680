"""Which digit is shown where nobody has drawn one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from haribote.data.digits import draw
from haribote.network import LARGE, SMALL
from haribote.share.digit import CANDIDATES, Answer, answers, digits, shown


def data_set() -> Any:
    images, labels = draw(40, 1)
    return SimpleNamespace(test_images=images, test_labels=labels)


def test_the_first_that_is_read_right_is_shown() -> None:
    data = data_set()
    asked = digits(None, data, SMALL)
    labels: list[int] = data.test_labels[:CANDIDATES].tolist()
    assert [digit.label for digit in asked] == labels and asked[0].seen.shape == (4, 4)

    class Network:
        """Says of every digit what it is, but of the first three something else."""

        def logits(self, images: Any) -> Any:
            assert images.shape == (CANDIDATES, 16)
            said = [(label + (n < 3)) % 10 for n, label in enumerate(labels)]
            return np.eye(10, dtype=np.float32)[said]

    network: Any = Network()
    last = answers(network, asked, 7)
    assert [answer.digit == label for answer, label in zip(last, labels, strict=True)] == [False] * 3 + [True] * 29
    assert last[0].steps == 7 and abs(sum(last[0].shares) - 1) < 1e-6
    assert shown(asked, last) == 3
    assert shown(asked[:3], last[:3]) == 0


def test_a_drawn_digit_is_the_only_one() -> None:
    (asked,) = digits(np.zeros(784, np.uint8), data_set(), LARGE)
    assert asked.drawn and asked.label is None and asked.seen.shape == (28, 28)
    assert shown([asked], [Answer(1, (0.1,) * 10)]) == 0
