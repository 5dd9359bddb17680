"""A training step as torch computes it, to compare graphs with; a cache of builds that all tests of a run share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from haribote.cpp.build import CompilerMissing, compiler
from haribote.data.dataset import Dataset
from haribote.frontend.torch import trace_step
from haribote.training.backends import example_batch
from haribote.training.models import mlp

Arrays = dict[str, NDArray[Any]]


CASES = [
    pytest.param(((784, 10), True, 256), id="784-10"),
    pytest.param(((784, 16, 10), True, 256), id="784-16-10"),
    pytest.param(((784, 16, 10), True, 100), id="784-16-10-batch-100"),
    pytest.param(((30, 10), False, 7), id="30-10-no-bias-batch-7"),
    pytest.param(((5, 33, 2), False, 256), id="5-33-2-no-bias"),
    pytest.param(((17, 1, 3), True, 1), id="17-1-3-batch-1"),
    pytest.param(((40, 12, 7, 11), True, 1), id="depth-3-batch-1"),
    pytest.param(((1100, 20, 9, 5, 16), False, 100), id="depth-4-no-bias"),
    pytest.param(((64, 16, 32, 48, 10), True, 300), id="depth-4-batch-300"),
]
"""Widths, bias and batch of the models that every stage is tested with."""


@dataclass(frozen=True)
class Step:
    """The traced graph of one model, its first feeds, and what torch gives for the same batch again and again."""

    model: nn.Module
    graph: onnx.ModelProto
    feeds: Arrays
    expected: Callable[[int], Arrays]


@pytest.fixture
def make_step() -> Callable[..., Step]:
    """make_step(widths, bias, batch) -> Step."""

    def make(widths: tuple[int, ...], bias: bool, batch: int, learning_rate: float = 0.1) -> Step:
        generator = torch.Generator().manual_seed(7)
        model = mlp(*widths, bias=bias, seed=3)
        x = torch.randn(batch, widths[0], generator=generator)
        labels = torch.randint(0, widths[-1], (batch,), generator=generator)
        optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
        graph = trace_step(model, optimizer, x, labels)
        feeds = {"x": x.numpy(), "labels": labels.numpy()}
        feeds |= {name: p.detach().numpy().copy() for name, p in model.named_parameters()}

        def expected(steps: int) -> Arrays:
            for _ in range(steps):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), labels)
                loss.backward()
                optimizer.step()
            after = {f"{name}.next": p.detach().numpy() for name, p in model.named_parameters()}
            return {"loss": np.asarray(loss.item(), np.float32), **after}

        return Step(model, graph, feeds, expected)

    return make


@pytest.fixture(params=CASES)
def step(request, make_step) -> Step:
    """The step of every model in turn."""
    return make_step(*request.param)


@pytest.fixture
def assert_equal() -> Callable[[Arrays, Arrays], None]:
    """Same names in the same order, same shapes, values within 1e-5."""

    def check(got: Arrays, expected: Arrays) -> None:
        assert list(got) == list(expected)
        for name, value in expected.items():
            assert got[name].shape == value.shape, name
            np.testing.assert_allclose(got[name], value, rtol=0, atol=1e-5, err_msg=name)

    return check


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of builds; a test that asks for it is skipped where there is no C++ compiler."""
    try:
        compiler()
    except CompilerMissing as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARIBOTE_CACHE", str(folder / "haribote"))
        yield folder / "haribote" / "cpp"


@pytest.fixture(scope="module")
def traced() -> onnx.ModelProto:
    model = mlp(784, 16, 10)
    return trace_step(model, *example_batch(model, 256, 0.01))


@pytest.fixture(scope="module")
def feeds(traced: onnx.ModelProto) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    inputs = {name: value.detach().numpy() for name, value in mlp(784, 16, 10).named_parameters()}
    images = random.uniform(-0.43, 2.82, (256, 784)).astype(np.float32)
    return inputs | {"x": images, "labels": random.integers(0, 10, 256)}


@pytest.fixture(scope="module")
def digits() -> Dataset:
    """Twelve batches of 32 images that a linear classifier can tell apart."""
    random = np.random.default_rng(5)
    patterns = np.pad(random.integers(0, 256, (10, 24, 24)), ((0, 0), (2, 2), (2, 2)))
    labels = random.integers(0, 10, 12 * 32 + 50)
    images = np.clip(patterns[labels] + random.normal(0, 40, (len(labels), 28, 28)), 0, 255).astype(np.uint8)
    return Dataset("patterns", "made for a test", images[:-50], labels[:-50], images[-50:], labels[-50:])


@pytest.fixture
def with_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are the reference's, and there is no folder with goldens."""
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    monkeypatch.delenv("HARIBOTE_SHARED", raising=False)
