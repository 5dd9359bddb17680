"""The networks of the course and their training step in numbers, where they stand once."""

from __future__ import annotations

from dataclasses import dataclass

WIDTHS = PIXELS, HIDDEN, CLASSES = 784, 16, 10
BATCH = 256
LEARNING_RATE = 0.01
CLASS_BIAS = -1e9
"""Bias of a padded class: exp(CLASS_BIAS - any real logit) is exactly 0, and no later sum of it overflows."""


@dataclass(frozen=True)
class Network:
    """A multi-layer perceptron of the course and the images that it reads.

    side: pixels of an image, each way. mean, deviation: of the training pixels of MNIST in 0..1, which `normalise`
    takes away. learning_rate: of SGD, unless another is given. target: the accuracy, 0 to 1, that PyTorch reaches
    after STEPS training steps of BATCH images, on MNIST and on the drawn digits alike; None where none is set.
    """

    name: str
    side: int
    mean: float
    deviation: float
    learning_rate: float
    target: float | None = None

    @property
    def pixels(self) -> int:
        """Of an image: the width of the input."""
        return self.side**2


LARGE = Network("large", 28, 0.1307, 0.3081, LEARNING_RATE)
SMALL = Network("small", 4, 0.2475, 0.2393, 0.3, target=0.80)
"""MNIST at 4x4 pixels: every layer fits the chip's kernels as it is, so the whole step runs there without tiles."""

NETWORKS = {network.name: network for network in (LARGE, SMALL)}
STEPS = 234
"""Training steps in one epoch of MNIST."""


def network_of(pixels: int) -> Network:
    """The network whose images have so many pixels; the large one where none has."""
    return next((network for network in NETWORKS.values() if network.pixels == pixels), LARGE)
