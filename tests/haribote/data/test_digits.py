"""The synthetic digits: the same each time, like MNIST to the network, and neither trivial nor hopeless."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote.data import digits
from haribote.data.dataset import batch_order, normalise


@pytest.mark.slow
def test_synthetic_digits_are_the_same_each_time_and_balanced() -> None:
    images, labels = digits.draw(200, seed=7)
    again, _ = digits.draw(200, seed=7)
    other, _ = digits.draw(200, seed=8)
    assert images.dtype == np.uint8 and images.shape == (200, 28, 28)
    assert np.bincount(labels).tolist() == [20] * 10
    assert (images == again).all() and not (images == other).all()


def test_synthetic_digits_look_like_mnist_to_the_network() -> None:
    images, _ = digits.draw(500, seed=0)
    inputs = normalise(images)
    assert abs(inputs.mean()) < 0.15 and abs(inputs.std() - 1) < 0.15
    assert images[:, :2].mean() < 15 and images[:, 8:20, 8:20].mean() > 50  # ink in the middle, none at the top


@pytest.mark.slow
def test_synthetic_digits_can_be_learned_but_are_not_trivial() -> None:
    (images, labels), (test_images, test_labels) = digits.draw(4000, 0), digits.draw(800, 1)
    inputs = torch.from_numpy(normalise(images))
    torch.manual_seed(42)
    model = torch.nn.Sequential(torch.nn.Linear(784, 16), torch.nn.ReLU(), torch.nn.Linear(16, 10))
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(6):
        for rows in batch_order(4000, seed=42, epoch=epoch):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(inputs[rows]), torch.from_numpy(labels[rows]))
            loss.backward()
            optimiser.step()
    accuracy = (model(torch.from_numpy(normalise(test_images))).argmax(1).numpy() == test_labels).mean()
    assert 0.80 < accuracy < 0.97
