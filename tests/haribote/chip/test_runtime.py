"""A compiled step on the machine: partition between chip and host, and agreement with torch step by step."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.compiler import compile_for_sim, start_session
from haribote.errors import GraphError
from haribote.frontend.torch import trace_step
from haribote.training.backends import ChipRequired, TorchBackend, example_batch
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from tests.haribote.batches import batch, largest_difference

LEARNING_RATE = 0.1


@pytest.mark.slow
def test_the_whole_step_on_the_chip_follows_torch_and_padding_stays() -> None:
    sim = SimBackend(mlp(784, 16, 10), LEARNING_RATE, 256, solutions=True, require_chip=True)
    torch = TorchBackend(mlp(784, 16, 10), LEARNING_RATE)
    before = sim.padded_parameters()
    for seed in range(3):
        images, labels = batch(seed)
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
        assert largest_difference(sim, torch) < 1e-6
    assert sim.compiled.chip_count == sim.compiled.node_count == 28
    for name, after in sim.padded_parameters().items():
        real = tuple(map(slice, sim.parameters()[name].shape))
        before[name][real] = after[real] = 0
        assert np.array_equal(after, before[name]), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("widths", "bias", "size"),
    [((784, 16, 10), False, 256), ((784, 16, 10), True, 100), ((10, 7, 5, 3), True, 256), ((16, 10), True, 256)],
)
def test_other_small_networks_follow_torch(widths: tuple[int, ...], bias: bool, size: int) -> None:
    sim = SimBackend(mlp(*widths, bias=bias), LEARNING_RATE, size, solutions=True)
    torch = TorchBackend(mlp(*widths, bias=bias), LEARNING_RATE)
    for seed in range(2):
        images, labels = batch(seed, size, widths[0])
        labels %= widths[-1]
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 2e-6
    assert sim.compiled.chip_count > len(sim.compiled.host_nodes)
    assert np.abs(sim.logits(images[:7]) - torch.logits(images[:7])).max() < 1e-4


@pytest.mark.slow
def test_more_classes_than_a_tile_run_partly_on_the_host_and_are_right() -> None:
    widths = (784, 16, 40)
    sim = SimBackend(mlp(*widths), LEARNING_RATE, 256, solutions=True)
    torch = TorchBackend(mlp(*widths), LEARNING_RATE)
    images, labels = batch(0)
    assert abs(sim.step(images, 4 * labels) - torch.step(images, 4 * labels)) < 1e-5
    assert largest_difference(sim, torch) < 1e-6
    assert 0 < sim.compiled.chip_count < sim.compiled.node_count
    with pytest.raises(ChipRequired, match="nodes run on the host"):
        SimBackend(mlp(*widths), LEARNING_RATE, 256, solutions=True, require_chip=True)


@pytest.mark.parametrize(
    ("widths", "bias", "size"),
    [
        pytest.param((784, 40, 10), True, 256, marks=pytest.mark.slow),
        pytest.param((784, 20, 33, 10), False, 100, marks=pytest.mark.slow),
        ((30, 17, 4), True, 300),
        pytest.param((1100, 8, 10), True, 3, marks=pytest.mark.slow),
    ],
)
def test_wider_networks_run_on_the_chip_tile_by_tile(widths: tuple[int, ...], bias: bool, size: int) -> None:
    sim = SimBackend(mlp(*widths, bias=bias), LEARNING_RATE, size, solutions=True, require_chip=True)
    torch = TorchBackend(mlp(*widths, bias=bias), LEARNING_RATE)
    for seed in range(2):
        images, labels = batch(seed, size, widths[0])
        labels %= widths[-1]
        assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 2e-6
    assert np.abs(sim.logits(images[:7]) - torch.logits(images[:7])).max() < 1e-4


def test_reading_before_running_and_writing_what_is_no_input_are_refused() -> None:
    model = mlp(16, 10)
    session = start_session(compile_for_sim(trace_step(model, *example_batch(model, 256, 0.1)), solutions=True))
    with pytest.raises(GraphError, match="no value yet"):
        session.read("loss")
    with pytest.raises(GraphError, match=r"its inputs are 0\.bias, 0\.weight, labels, x"):
        session.write("y", np.zeros(3, np.float32))
    with pytest.raises(GraphError, match="must have shape"):
        session.write("x", np.zeros((3, 3), np.float32))
