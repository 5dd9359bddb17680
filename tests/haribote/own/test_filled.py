"""What a filled step says of itself, at both levels, and that it trains as torch does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from haribote.kernel import Op
from haribote.lessons.coverage import on_chip
from haribote.own.filled import Filled
from haribote.own.shares import shares_of
from haribote.training.backends import TorchBackend
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from tests.haribote.batches import batch, largest_difference
from tests.haribote.own.learner import STEP, lines, writes


def _relu(op: Op, waits: int) -> Iterator[str]:
    """A Relu at any place in LM that idles first."""
    yield f"nop/{waits}"
    for at in range(0, op.x.words, 8):
        yield f"frelu {op.x.long(at)} {op.x.long(at)} {op.y.long(at)}"


SLOW_RELU = ("frelu $lm0v $lm0v $ln0v", "nop/30", "frelu $lm8v $lm8v $ln8v")


@pytest.mark.parametrize("level", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_filled_step_trains_as_torch_does(monkeypatch: pytest.MonkeyPatch, level: int) -> None:
    writes(monkeypatch, dl_256x16_a=None, ul_256x16_a=None, exp=lines("nop"), relu=lambda op: _relu(op, 30))
    sim = SimBackend(mlp(784, 16, 10), 0.1, 256, False, require_chip=True, level=level, fill=True)
    torch = TorchBackend(mlp(784, 16, 10), 0.1)
    images, labels = batch(0)
    assert abs(sim.step(images, labels) - torch.step(images, labels)) < 1e-5
    assert largest_difference(sim, torch) < 1e-6
    first, second, third = sim.whose
    of = len(shares_of(sim.compiled).whole.tasks)  # at -O1 there are fewer
    assert of < STEP if level else of == STEP
    assert first.startswith(f"yours where they pass: 3 of {of} kernels, ") and first.endswith(
        f"in the place of {of - 3}"
    )
    assert second.startswith("the kernel of task 5.24 does not pass, so the course's runs: out[0, 0] is ")
    assert third.endswith("since the last change: 5.3, 5.9, 5.12")
    assert all(line in sim.summary for line in sim.whose)


@pytest.mark.slow
def test_a_slower_kernel_costs_the_step_more(monkeypatch: pytest.MonkeyPatch) -> None:
    writes(monkeypatch)
    before = on_chip()
    writes(monkeypatch, relu=lines(*SLOW_RELU))
    after = on_chip()
    assert after.compiled.cost.steps == before.compiled.cost.steps + 30
    assert f"with the course's kernels alone {before.compiled.cost.cycles:,.0f}" in str(after)


def test_with_the_solutions_nothing_is_called_yours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    said = tuple(Filled().lines(on_chip().compiled))
    assert said == (f"the course's: {STEP} of {STEP} kernels, 100 % of the words moved, 100 % of the steps",)
