"""Training: equal to PyTorch's, stopped and resumed, and what is said of mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.errors import HariboteError
from haribote.gpt.checkpoint import load
from haribote.gpt.model import Shape, initial
from haribote.gpt.options import GptOptions
from haribote.gpt.text import corpus
from haribote.gpt.train import train
from haribote.gpt.trainers import ChipTrainer, TorchTrainer
from haribote.training.checkpoint import CheckpointError
from haribote.training.train import Diverged

SMALL = Shape(30, layers=1, width=8, heads=2, context=8)


def options(folder: Path, backend: str = "torch", **given: object) -> GptOptions:
    wanted = GptOptions(backend, folder, layers=1, width=8, heads=2, context=8, batch=2, steps=6, every=2, rate=0.01)
    return replace(wanted, **given)  # type: ignore[arg-type]


def quiet(text: object) -> None:
    """Says nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("device", ["pfvm:cpu", "mncore2:auto"])
def test_the_step_is_pytorchs(device: str) -> None:
    learned = corpus(None, SMALL.context)
    reference = TorchTrainer(initial(SMALL, 5), 0.01)
    compiled = ChipTrainer(initial(SMALL, 5), 0.01, 4, device=device)
    for number in range(8):
        batch = learned.batch(1, number, 4, SMALL.context)
        assert compiled.step(*batch) == pytest.approx(reference.step(*batch), abs=1e-5), number
    wanted = reference.state()
    assert wanted.keys() == compiled.state().keys()
    for name, value in compiled.state().items():
        if not name.startswith("blocks.0.key.bias"):  # its gradient is 0 but for rounding, which Adam divides away
            np.testing.assert_allclose(value, wanted[name], atol=1e-4, err_msg=name)
    if device != "pfvm:cpu":
        assert compiled.graph.engine == "chip"
        count = len(compiled.graph.model.graph.node)
        assert compiled.graph.coverage == f"{count} of {count}"


def test_a_resumed_run_is_as_one_without_a_stop(tmp_path: Path) -> None:
    whole = train(options(tmp_path / "whole"), quiet)
    train(options(tmp_path / "parts", steps=4), quiet)
    parts = train(options(tmp_path / "parts", resume=True), quiet)
    assert parts.losses == whole.losses
    assert len(whole.losses["torch"]) == 6
    ours, theirs = (load(tmp_path / name / "gpt.npz")[1]["torch"] for name in ("whole", "parts"))
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


@pytest.mark.slow
def test_a_resumed_run_on_the_chip_is_as_one_without_a_stop(tmp_path: Path) -> None:
    said: list[str] = []
    whole = train(options(tmp_path / "whole", "sim", steps=4), said.append)
    train(options(tmp_path / "parts", "sim", steps=2), quiet)
    parts = train(options(tmp_path / "parts", "sim", steps=4, resume=True), quiet)
    assert parts.losses == whole.losses
    assert set(whole.losses) == {"torch", "sim"}
    assert any("loss on the chip" in line and "in PyTorch" in line for line in said)


def test_a_stopped_run_keeps_the_last_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step, done = TorchTrainer.step, 0

    def stopped(self: TorchTrainer, *batch: np.typing.NDArray[np.int32]) -> float:
        nonlocal done
        done += 1
        if done == 4:
            raise KeyboardInterrupt
        return step(self, *batch)

    monkeypatch.setattr(TorchTrainer, "step", stopped)
    with pytest.raises(KeyboardInterrupt):
        train(options(tmp_path), quiet)
    assert load(tmp_path / "gpt.npz")[0].steps == 2
    assert [path.name for path in tmp_path.iterdir()] == ["gpt.npz"]


def test_the_loss_falls(tmp_path: Path) -> None:
    run = train(options(tmp_path, steps=150, every=150, width=16, batch=8), quiet)
    losses = run.losses["torch"]
    assert np.mean(losses[-20:]) < 0.8 * np.mean(losses[:20])


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        train(options(tmp_path, resume=True), quiet)
    with pytest.raises(HariboteError, match="8 in 3 heads"):
        train(options(tmp_path, heads=3), quiet)
    train(options(tmp_path), quiet)
    with pytest.raises(CheckpointError, match=r"another layers \(2, 1\), seed"):
        train(options(tmp_path, resume=True, layers=2, seed=1), quiet)
    with pytest.raises(CheckpointError, match="was not trained by sim"):
        train(options(tmp_path, "sim", resume=True), quiet)
    (tmp_path / "gpt.npz").write_bytes(b"PK nothing")
    with pytest.raises(CheckpointError, match="not a complete checkpoint"):
        train(options(tmp_path, resume=True), quiet)
    np.savez(tmp_path / "gpt.npz", __run__=np.zeros(1))
    with pytest.raises(CheckpointError, match="another model, no GPT"):
        train(options(tmp_path, resume=True), quiet)
    monkeypatch.setattr(TorchTrainer, "step", lambda *_: float("nan"))
    with pytest.raises(Diverged, match="step 1"):
        train(options(tmp_path), quiet)
