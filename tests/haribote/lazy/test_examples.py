"""The page's examples on every evaluator, beside torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from haribote import lazy
from haribote.lazy.primitives.arrays import Product, walk
from tests.haribote.lazy.programs import programs
from tests.long_runs import LONG

DEVICES = ("numpy", "cpp", "host")
every_device = pytest.mark.parametrize("device", [*DEVICES, "chip"])
slow_on_the_chip = pytest.mark.parametrize("device", [*DEVICES, pytest.param("chip", marks=pytest.mark.slow)])
random = np.random.default_rng(0)


def normal(*shape: int) -> Any:
    return random.standard_normal(shape).astype(np.float32)


def test_the_page_runs_and_its_message_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    programs.cache_clear()
    programs()
    printed = capsys.readouterr().out
    assert printed.startswith("a map needs arrays of one shape, received [4, 6] and [6, 4]\n")
    assert printed.count("[  55.  451. 1279. 2539.]") == 2


@slow_on_the_chip
def test_convolution(device: str) -> None:
    x, w = normal(2, 2, 4, 5), normal(3, 2, 3, 2)
    made = programs().convolution(lazy.array("x", x.shape), lazy.array("w", w.shape))
    wanted = torch.nn.functional.conv2d(torch.from_numpy(x), torch.from_numpy(w)).numpy()
    np.testing.assert_allclose(lazy.evaluate(made, device, x=x, w=w), wanted, atol=1e-5)
    assert any(isinstance(found, Product) for found in walk(*lazy.fuse(made)))


@every_device
def test_softmax(device: str) -> None:
    x = 20 * normal(8, 16)
    wanted = torch.softmax(torch.from_numpy(x), 1).numpy()
    found = lazy.evaluate(programs().softmax(lazy.array("x", x.shape)), device, x=x)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@slow_on_the_chip
def test_jacobi(device: str) -> None:
    start = normal(8, 8)
    inside = np.zeros((8, 8), bool)
    inside[1:-1, 1:-1] = True
    surface = lazy.array("x", start.shape)
    for _ in range(2):
        surface = programs().jacobi(surface, lazy.constant(inside))
    wanted = start.astype(np.float64)
    for _ in range(2):
        mean = (wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]) / 4
        wanted[1:-1, 1:-1] = mean
    np.testing.assert_allclose(lazy.evaluate(surface, device, x=start), wanted, atol=1e-6)


@pytest.mark.some(2)
@pytest.mark.parametrize("device", [*DEVICES, pytest.param("chip", marks=LONG)])
def test_a_network_trains_as_torch_does(device: str) -> None:
    n, inputs, hidden, classes, rate, steps = 16, 12, 8, 4, 0.5, 4
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, classes)
    )  # fmt: skip
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    names = dict(zip(("w1", "b1", "w2", "b2"), model.parameters(), strict=True))
    values = {name: value.detach().numpy().copy() for name, value in names.items()}
    step = lazy.compile(programs().train_step(n, inputs, hidden, classes, rate), device)
    losses = []
    for _ in range(steps):
        x, labels = normal(n, inputs), random.integers(0, classes, n)
        loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(x)), torch.from_numpy(labels))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        found = step(x=x, labels=labels, **values)
        losses.append((float(found.pop("loss")), loss.item()))
        values = found
    np.testing.assert_allclose(*np.transpose(losses), atol=1e-5)
    for name, value in names.items():
        np.testing.assert_allclose(values[name], value.detach().numpy(), atol=1e-5, err_msg=name)
