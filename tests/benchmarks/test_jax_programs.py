"""The programs of real libraries, a few steps of each, beside `jax.jit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

from benchmarks.jax_programs import beside, channel, mnist, particles  # noqa: E402
from tests.long_runs import LONG  # noqa: E402

HOST = {"device": "host"}


def race(step: Any, state: Any, steps: int, options: dict[str, Any]) -> beside.Race:
    """So many steps of a program whose state is all that it needs."""
    found = beside.Race(step, lambda move, state, _: move(state), state, options)
    for _ in range(steps):
        found.step()
    return found


def classify(hidden: int, steps: int, options: dict[str, Any]) -> beside.Race:
    """Steps of the network on eight images that are noise."""
    network = mnist.Network(hidden)
    images = np.random.default_rng(0).standard_normal((8, 784), np.float32)
    batch = images, np.eye(10, dtype=np.float32)[np.arange(8)]
    found = beside.Race(network.update, lambda f, state, number: f(number, state, batch), network.start(), options)
    for _ in range(steps):
        found.step()
    losses = [float(network.loss(network.get_params(state), batch)) for state in (network.start(), found.state)]
    assert losses[1] < losses[0]
    return found


@pytest.mark.slow
def test_mnist() -> None:
    assert max(classify(16, 3, HOST).differences) < 2e-6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_particles() -> None:
    step, state = particles.build()
    found = race(step, state, 5, HOST)
    assert max(found.differences) < 2e-6
    assert "a step from the same state differs from jax.jit" in found.report()


@pytest.mark.slow
def test_channel() -> None:
    with channel.pad_as_before():
        step, state = channel.build()
        found = race(step, state, 3, HOST)
    assert max(found.differences) < 5e-6
    along, across = (np.asarray(u.data) for u in found.state)
    inflow = along - np.roll(along, 1, 0)
    up = across - np.concatenate([np.zeros_like(across[:, :1]), across[:, :-1]], 1)
    grid = found.state[0].grid.step
    flow = inflow / grid[0] + up / grid[1]
    assert np.abs(flow[:, :-1]).max() < 1e-5  # what flows into a cell flows out of it, but beside the upper wall


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_particles_come_to_rest(tmp_path: Path) -> None:
    picture = tmp_path / "particles.svg"
    options = beside.parser("particles", "", 1000)
    options.add_argument("--picture", type=Path)
    options.add_argument("--movie", type=Path)
    assert particles.work(options.parse_args(["--device", "host", "--picture", str(picture)])) == 0
    assert picture.read_text(encoding="utf-8").count("<path") > 4 * 128


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_particles_on_the_chip() -> None:
    step, state = particles.build()
    found = race(step, state, 5, {})
    nodes = list(found.ours.cache.values())[-1].program.nodes
    assert max(found.differences) < 5e-6 and f"on chip {nodes} of {nodes} nodes" in found.report()


@LONG
def test_channel_on_the_chip() -> None:
    with channel.pad_as_before():
        step, state = channel.build()
        found = race(step, state, 5, {})
    nodes = list(found.ours.cache.values())[-1].program.nodes
    assert max(found.differences) < 1e-5 and f"on chip {nodes} of {nodes} nodes" in found.report()


@LONG
def test_mnist_on_the_chip() -> None:
    found = classify(16, 3, {})
    nodes = list(found.ours.cache.values())[-1].program.nodes
    assert max(found.differences) < 1e-5 and f"on chip {nodes} of {nodes} nodes" in found.report()
