"""A recorded step is a step like any other, and what is recorded is what was there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from haribote.network import SMALL
from haribote.share.field import places
from haribote.share.recording import NO_KERNEL, Recording, record_step, without_comments
from haribote.training.models import mlp
from haribote.training.sim_backend import SimBackend
from simulator import assemble


@pytest.fixture(scope="module")
def backend() -> SimBackend:
    return SimBackend(mlp(SMALL.pixels, 16, 10, seed=42), SMALL.learning_rate, 256, solutions=True)


@pytest.fixture(scope="module")
def inputs() -> dict[str, Any]:
    random = np.random.default_rng(3)
    return {"x": random.standard_normal((256, 16)).astype(np.float32), "labels": random.integers(0, 10, 256)}


@pytest.fixture(scope="module")
def recorded(backend: SimBackend, inputs: dict[str, Any]) -> tuple[Recording, dict[str, Any]]:
    """The recording, and the parameters after it."""
    before = backend.parameters()
    recording = record_step(backend.compiled, backend.session, inputs)
    after = backend.parameters()
    backend.load(before)
    return recording, after


def test_a_recorded_step_does_what_a_step_does(
    backend: SimBackend, inputs: dict[str, Any], recorded: tuple[Recording, dict[str, Any]]
) -> None:
    before = backend.parameters()
    backend.session.step(inputs)
    for name, value in backend.parameters().items():
        assert (value == recorded[1][name]).all() and (value != before[name]).any()
    backend.load(before)


def test_time_is_that_of_the_cost_model(backend: SimBackend, recorded: tuple[Recording, dict[str, Any]]) -> None:
    recording, _ = recorded
    assert recording.cycles == pytest.approx(backend.compiled.cost.cycles)
    ends = [kernel.start + kernel.cycles for kernel in recording.kernels]
    assert all(kernel.cycles > 0 for kernel in recording.kernels)
    assert all(end <= following.start for end, following in zip(ends, recording.kernels[1:], strict=False))
    assert ends[-1] <= recording.cycles
    cycles = [moment.cycle for moment in recording.moments]
    assert cycles == sorted(cycles) and cycles[-1] < recording.cycles


def test_every_kernel_has_a_moment(recorded: tuple[Recording, dict[str, Any]]) -> None:
    recording, _ = recorded
    shown = {moment.kernel for moment in recording.moments} - {NO_KERNEL}
    assert shown == set(range(len(recording.kernels)))
    for moment in recording.moments:
        line = recording.programs[moment.part].lines[moment.line]
        assert line.text.startswith(moment.text) and "#" not in moment.text
        if moment.kernel != NO_KERNEL:
            kernel = recording.kernels[moment.kernel]
            assert kernel.start <= moment.cycle < kernel.start + kernel.cycles
            assert kernel.owner == "reference" and kernel.task.startswith("5.")


def test_the_relu_shows_what_it_writes(recorded: tuple[Recording, dict[str, Any]]) -> None:
    """Of max(x, 0) about half of the values are 0; all PEs take part."""
    recording, _ = recorded
    number = next(n for n, kernel in enumerate(recording.kernels) if kernel.operator == "Relu")
    seen = [moment.field for moment in recording.moments if moment.kernel == number]
    assert seen and all((field > 0).all() for field in seen)
    zeros = np.mean([(field[places()] == 1).mean() for field in seen])
    assert 0.2 < zeros < 0.8


def test_what_a_learner_notes_in_a_kernel_stays_private() -> None:
    program = assemble("# by me, at home\nlpassa $lm0v $ln0v # mine  # node\nnop/3\n", filename="/home/me/step.vsm")
    clean = without_comments(program)
    assert clean.source.split("\n")[1] == "lpassa $lm0v $ln0v  # node"
    assert "me" not in clean.source and clean.filename == "step.vsm"
    assert [line.line for line in clean.lines] == [line.line for line in program.lines]
