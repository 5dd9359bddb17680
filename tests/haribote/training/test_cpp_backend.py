"""Whole train steps in C++ against torch: step by step, on many shapes, and on MNIST."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.cpp_times import compare_products, measure
from haribote.compiler import lower_for_cpp
from haribote.cpp.operators import ALGORITHMS
from haribote.cpp.session import Session, sessions
from haribote.data.dataset import load
from haribote.errors import GraphError
from haribote.training.backends import TorchBackend
from haribote.training.cpp_backend import CppBackend
from haribote.training.models import mlp
from haribote.training.train import Options, make_backend, train
from tests.haribote.conftest import CASES

pytestmark = pytest.mark.usefixtures("builds")
STEPS = 3


@pytest.mark.slow
def test_steps_follow_torch(make_step: Callable[..., Any], assert_equal: Callable[..., None]) -> None:
    steps = {case.id.replace("-", "_"): make_step(*case.values[0]) for case in CASES[2:8]}
    built = sessions({f"step_{name}": lower_for_cpp(step.graph) for name, step in steps.items()})
    for session, step in zip(built.values(), steps.values(), strict=True):
        for name, value in step.feeds.items():
            session.write(name, value)
        for _ in range(STEPS):
            session.step({})
        assert_equal(session.outputs(), step.expected(STEPS))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_batch_4096_with_every_product(algorithm: str, make_step: Callable[..., Any], assert_equal: Any) -> None:
    step = make_step((300, 16, 10), True, 4096)
    session = sessions({"step": lower_for_cpp(step.graph)}, algorithm)["step"]
    for name, value in step.feeds.items():
        session.write(name, value)
    session.run()
    assert_equal(session.outputs(), step.expected(1))


@pytest.fixture(scope="module")
def small() -> tuple[CppBackend, TorchBackend]:
    return CppBackend(mlp(12, 7, 4), 0.1, 8), TorchBackend(mlp(12, 7, 4), 0.1)


@pytest.mark.slow
def test_the_backend_trains_and_evaluates_as_torch_does(small: tuple[CppBackend, TorchBackend]) -> None:
    ours, torchs = small
    random = np.random.default_rng(5)
    for _ in range(5):
        images, labels = random.standard_normal((8, 12), np.float32), random.integers(0, 4, 8)
        assert ours.step(images, labels) == pytest.approx(torchs.step(images, labels), rel=1e-5)
    images = random.standard_normal((21, 12), np.float32)  # not a multiple of the batch
    np.testing.assert_allclose(ours.logits(images), torchs.logits(images), atol=1e-5)
    for name, value in torchs.parameters().items():
        np.testing.assert_allclose(ours.parameters()[name], value, atol=1e-6, err_msg=name)


def test_loaded_parameters_are_a_copy(small: tuple[CppBackend, TorchBackend]) -> None:
    ours, _ = small
    mine = ours.parameters()
    kept = {name: value.copy() for name, value in mine.items()}
    ours.load(mine)
    ours.step(np.ones((8, 12), np.float32), np.zeros(8, np.int64))
    for name, value in kept.items():
        np.testing.assert_array_equal(mine[name], value)
    assert any((ours.parameters()[name] != value).any() for name, value in kept.items())


def test_arrays_of_any_strides_and_integer_types(small: tuple[CppBackend, TorchBackend]) -> None:
    ours, _ = small
    random = np.random.default_rng(6)
    start = ours.parameters()
    images, labels = random.standard_normal((12, 16), np.float32), np.arange(16) % 4
    loss = ours.step(np.ascontiguousarray(images.T[::2]), labels[::2].copy())
    ours.load(start)
    assert ours.step(images.T[::2], labels.astype(np.int32)[::2]) == loss


def session_of(model: Any) -> Session:
    return sessions({"step": lower_for_cpp(model)})["step"]


@pytest.mark.slow
def test_mistakes_with_inputs_are_told(make_step: Callable[..., Any]) -> None:
    step = make_step((5, 3), True, 4)
    session = session_of(step.graph)
    with pytest.raises(GraphError, match=r"inputs without a value: x, labels, 0\.weight, 0\.bias"):
        session.run()
    with pytest.raises(GraphError, match="no input 'y'"):
        session.write("y", step.feeds["x"])
    with pytest.raises(GraphError, match=r"float32\[4, 5\], received float32\[4, 4\]"):
        session.write("x", step.feeds["x"][:, :4])
    with pytest.raises(GraphError, match=r"int64\[4\], received float32\[4\]"):
        session.write("labels", np.zeros(4, np.float32))
    with pytest.raises(GraphError, match="'labels' is not an output, or an input without a value"):
        session.read("labels")


@pytest.mark.slow
def test_the_order_of_loops_matters() -> None:
    """The lesson of the templates; the margins are far below what any machine with vectors gives."""
    torch.set_num_threads(1)
    text = compare_products(hidden=32, batch=128, rounds=5)
    ratios = [float(line.split()[-3]) for line in text.splitlines() if "GFLOP/s" in line]
    assert len(ratios) == 2 * len(ALGORITHMS)
    assert ratios[0] == ratios[4] == 1 and min(*ratios[2:4], *ratios[6:]) > 2, text


def test_an_output_stays_what_the_step_gave_when_its_parameter_is_written() -> None:
    backend = CppBackend(mlp(12, 7, 4), 0.1, 8)
    session = backend._training
    backend.step(np.ones((8, 12), np.float32), np.zeros(8, np.int64))
    after = session.read("0.weight")
    np.testing.assert_array_equal(session.read("0.weight.next"), after)
    session.write("0.weight", np.zeros((7, 12), np.float32))
    np.testing.assert_array_equal(session.read("0.weight.next"), after)
    assert not session.read("0.weight").any()


def test_measure_takes_the_median_of_turns() -> None:
    order: list[str] = []
    times = measure({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=3)
    assert set(times) == {"a", "b"} and all(value > 0 for value in times.values())
    assert order.index("b") == 3  # three calls of a to see how long it takes


@pytest.mark.slow
def test_the_options_reach_the_backend(tmp_path: Path) -> None:
    backend = make_backend(Options("cpp", tmp_path, hidden=(2,), batch=4, learning_rate=0.5, gemm="naive"))
    assert backend.summary.endswith("Gemm naive") and backend.parameters()["0.weight"].shape == (2, 784)
    torchs = make_backend(Options("torch", tmp_path, hidden=(2,), batch=4, learning_rate=0.5))
    images, labels = np.ones((4, 784), np.float32), np.arange(4)
    assert backend.step(images, labels) == pytest.approx(torchs.step(images, labels), rel=1e-5)
    np.testing.assert_allclose(backend.parameters()["2.bias"], torchs.parameters()["2.bias"], atol=1e-6)


@pytest.mark.slow
def test_ten_epochs_of_mnist_reach_torchs_accuracy(shared: Path, tmp_path: Path) -> None:
    data = load(shared / "data" / "mnist")
    torchs, ours = (
        train(Options(name, tmp_path / name, epochs=10), data, say=lambda line: None).accuracies[-1]
        for name in ("torch", "cpp")
    )
    assert torchs > 0.9 and abs(ours - torchs) <= 0.003
