"""The small network: digits of 4x4 pixels, 16-16-10, the same on every backend, and the accuracy that is promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.commands.cli import main
from haribote.commands.infer import write_picture
from haribote.data.dataset import DataError, Dataset, load, normalise
from haribote.data.pooling import BORDER, at_side, pooled
from haribote.graphs.cases import load_case
from haribote.network import BATCH, LARGE, SMALL, STEPS
from haribote.training import train
from haribote.training.checkpoint import CheckpointError, Run, load_checkpoint
from tests.haribote.run_options import options


def test_each_pixel_is_the_mean_of_a_square(digits: Dataset) -> None:
    small = pooled(digits.train_images, SMALL.side)
    assert small.shape == (len(digits.train_images), 4, 4) and small.dtype == np.uint8
    for image, row, column in ((0, 0, 0), (5, 1, 3), (7, 3, 2)):
        top, left = BORDER + 5 * row, BORDER + 5 * column
        square = digits.train_images[image, top : top + 5, left : left + 5]
        assert abs(float(small[image, row, column]) - square.mean()) <= 0.5
    assert pooled(digits.train_images, 28) is digits.train_images


@pytest.mark.slow
def test_normalised_pixels_have_mean_0_and_deviation_1() -> None:
    synthetic = at_side(load("synthetic", say=lambda line: None), SMALL.side)
    inputs = normalise(synthetic.train_images)
    assert inputs.shape == (len(synthetic.train_images), 16)
    assert inputs.mean() == pytest.approx(0, abs=0.1) and inputs.std() == pytest.approx(1, abs=0.1)
    try:
        mnist = at_side(load("mnist", say=lambda line: None), SMALL.side)
    except DataError:
        return
    inputs = normalise(mnist.train_images)
    assert inputs.mean() == pytest.approx(0, abs=1e-3) and inputs.std() == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
def test_pytorch_reaches_the_target(tmp_path: Path) -> None:
    data = load("synthetic", say=lambda line: None)
    epochs = -(-STEPS // (len(data.train_labels) // BATCH))
    lines: list[str] = []
    wanted = options(tmp_path, epochs=epochs, batch=BATCH, learning_rate=SMALL.learning_rate, network=SMALL)
    run = train.train(wanted, data, lines.append)
    assert SMALL.target is not None and run.accuracies[-1] >= SMALL.target
    assert lines[-1].startswith("target reached")


@pytest.mark.parametrize("backend", ["cpp", pytest.param("sim", marks=pytest.mark.slow)])
def test_other_backends_train_as_torch_does(digits: Dataset, tmp_path: Path, backend: str) -> None:
    data = replace(digits, train_images=digits.train_images[:96], train_labels=digits.train_labels[:96])
    torchs = train.train(options(tmp_path / "torch", epochs=1, network=SMALL), data, lambda line: None)
    wanted = options(tmp_path, epochs=1, network=SMALL, backend=backend, solutions=True, require_chip=True)
    assert train.train(wanted, data, lambda line: None).losses == pytest.approx(torchs.losses, abs=1e-5)


@pytest.mark.slow
def test_a_missed_target_is_said(digits: Dataset, tmp_path: Path) -> None:
    lines: list[str] = []
    steps = len(digits.train_labels) // 32
    train.train(options(tmp_path, epochs=-(-STEPS // steps), learning_rate=1e-6, network=SMALL), digits, lines.append)
    assert lines[-1].startswith("target missed: accuracy ")


@pytest.mark.parametrize(
    ("epochs", "steps", "accuracy", "said"),
    [
        (1, 39, 0.56, "the target, 80%, is for 234 steps: --epochs 6"),
        (4, 156, 0.81, "the target, 80%, is for 234 steps: --epochs 6"),
        (6, 234, 0.8465, "target reached: accuracy 84.65%, "),
        (1, 234, 0.79, "target missed: accuracy 79.00%, "),
        (0, 0, 0.0, ""),
    ],
)
def test_what_is_said_of_the_target(epochs: int, steps: int, accuracy: float, said: str) -> None:
    run = Run([16], BATCH, SMALL.learning_rate, 42, "synthetic", losses=[1.0] * steps, accuracies=[accuracy] * epochs)
    run.epoch = epochs
    verdict = train.target_verdict(SMALL, run)
    assert verdict.startswith(said) and bool(verdict) == bool(said)
    assert train.target_verdict(LARGE, run) == ""


def test_a_checkpoint_knows_its_network(digits: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = options(tmp_path, learning_rate=SMALL.learning_rate, network=SMALL)
    train.train(wanted, digits, lambda line: None)
    with pytest.raises(CheckpointError, match="16-16-10"):
        train.train(options(tmp_path, learning_rate=SMALL.learning_rate, resume=True), digits, lambda line: None)
    run, parameters = load_checkpoint(tmp_path / "checkpoint.npz")
    assert run.network == "small" and parameters["0.weight"].shape == (16, 16)
    write_picture(digits.train_images[0], tmp_path / "0.png")
    path = str(tmp_path / "checkpoint.npz")
    assert main(["infer", str(tmp_path / "0.png"), "--backend", "torch", "--checkpoint", path]) == 0
    backend = train.make_backend(wanted)
    backend.load(parameters)
    logits = backend.logits(normalise(pooled(digits.train_images[:1], SMALL.side)))
    assert capsys.readouterr().out.split()[1] == str(logits.argmax())


@pytest.mark.slow
def test_export_of_the_small_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--network", "small", "-o", str(tmp_path / "small")]) == 0
    case = load_case(tmp_path / "small")
    assert case.inputs["x"].shape == (BATCH, 16) and case.inputs["0.weight"].shape == (16, 16)
    assert main(["test", str(tmp_path / "small"), "--backend", "cpp"]) == 0
    capsys.readouterr()
    assert main(["export", "--network", "small", "--model", "m.py:m", "-o", str(tmp_path)]) == 2
    assert "a model of your own" in capsys.readouterr().err
