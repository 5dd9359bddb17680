"""The generators: every row of the kernel table by the reference ones, and a whole step of the small network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from haribote.answers import generators
from haribote.answers.generators import generator, generator_for, generators_of
from haribote.answers.resolve import Answer
from haribote.chip.codegen import run_kernel
from haribote.compiler import compile_for_sim, start_session
from haribote.frontend.torch import trace_step
from haribote.kernel_table import KERNELS, KernelRow
from haribote.network import BATCH, SMALL
from haribote.own.quick_check import looked_at, what_is_wrong
from haribote.training.backends import example_batch
from haribote.training.models import mlp


@pytest.mark.parametrize("row", KERNELS, ids=lambda row: row.name)
def test_every_row_has_a_generator_that_is_right(row: KernelRow, tmp_path: Path) -> None:
    kernel = generator_for(row, solutions=True)
    assert kernel is not None and kernel.task == generators_of(row)[0]
    assert what_is_wrong(row, "\n".join(run_kernel(kernel, looked_at(row))), tmp_path) == ""


def test_without_the_emitter_the_first_one_does_what_it_can(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unwritten = generator
    monkeypatch.setattr(generators, "generator", lambda task, s: None if task == "5.44" else unwritten(task, s))
    for row in KERNELS:
        if "5.42" in generators_of(row):
            kernel = generator_for(row, solutions=True)
            assert kernel is not None and kernel.task == "5.42"
            assert what_is_wrong(row, "\n".join(run_kernel(kernel, looked_at(row))), tmp_path) == ""


def test_nothing_is_written_in_a_pristine_tree() -> None:
    assert all(generator_for(row) is None for row in KERNELS)


def by_generators(row: KernelRow, _: bool) -> Answer | None:
    kernel = generator_for(row, solutions=True)
    return Answer(kernel, "yours") if kernel else None


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1])
def test_the_small_network_trains_as_in_pytorch_by_generators_alone(level: int) -> None:
    model = mlp(SMALL.pixels, 16, 10)
    graph = trace_step(model, *example_batch(model, BATCH, SMALL.learning_rate))
    compiled = compile_for_sim(graph, False, find=by_generators, level=level)
    assert compiled.chip_count == compiled.node_count == 28
    session = start_session(compiled)
    for name, value in model.named_parameters():
        session.write(name, value.detach().numpy())
    optimiser, random = torch.optim.SGD(model.parameters(), lr=SMALL.learning_rate), np.random.default_rng(0)
    for _ in range(5):
        x = random.uniform(-1, 3, (BATCH, SMALL.pixels)).astype(np.float32)
        labels = random.integers(0, 10, BATCH)
        session.step({"x": x, "labels": labels})
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(x)), torch.from_numpy(labels))
        loss.backward()
        optimiser.step()
        assert float(session.read("loss")) == pytest.approx(loss.item(), rel=2e-6)
    for name, value in model.named_parameters():
        assert np.abs(session.read(name) - value.detach().numpy()).max() < 2e-6
