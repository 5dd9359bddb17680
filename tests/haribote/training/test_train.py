"""Training runs: epoch lines, resuming exactly, pictures, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.data.dataset import Dataset
from haribote.errors import HariboteError
from haribote.training import train
from haribote.training.checkpoint import CheckpointError, load_checkpoint
from tests.haribote.own.learner import writes
from tests.haribote.run_options import options


def test_an_epoch_is_a_line_a_checkpoint_and_a_picture(digits: Dataset, tmp_path: Path) -> None:
    lines: list[str] = []
    (tmp_path / "ledger.json").write_text("of an earlier run on the chip")
    run = train.train(options(tmp_path), digits, lines.append)
    pattern = r"epoch (\d)  loss (\d\.\d{4})  accuracy (\d+\.\d\d)%  time \d+\.\ds"
    epochs = [match for line in lines if (match := re.fullmatch(pattern, line))]
    assert [match[1] for match in epochs] == ["1", "2"]
    assert float(epochs[1][2]) < float(epochs[0][2]) == pytest.approx(np.mean(run.losses[:12]), abs=1e-4)
    assert float(epochs[1][3]) == pytest.approx(100 * run.accuracies[1])
    saved, parameters = load_checkpoint(tmp_path / "checkpoint.npz")
    assert saved == run and parameters["0.weight"].shape == (16, 784)
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "ledger.json").exists()


@pytest.mark.slow
def test_resuming_gives_the_same_bits_as_never_stopping(digits: Dataset, tmp_path: Path) -> None:
    whole = train.train(options(tmp_path / "whole", epochs=3), digits, lambda line: None)
    train.train(options(tmp_path / "parts", epochs=1), digits, lambda line: None)
    lines: list[str] = []
    parts = train.train(options(tmp_path / "parts", epochs=3, resume=True), digits, lines.append)
    assert "resuming after epoch 1" in lines
    assert parts == whole
    ours, theirs = (load_checkpoint(tmp_path / name / "checkpoint.npz")[1] for name in ("parts", "whole"))
    assert all(np.array_equal(ours[name], theirs[name]) for name in theirs)


def test_resuming_another_run_is_refused(digits: Dataset, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint"):
        train.train(options(tmp_path, resume=True), digits, lambda line: None)
    train.train(options(tmp_path, epochs=1), digits, lambda line: None)
    with pytest.raises(CheckpointError, match="784-16-10"):
        train.train(options(tmp_path, hidden=(8,), resume=True), digits, lambda line: None)


def test_training_that_diverges_says_so_and_saves_nothing(digits: Dataset, tmp_path: Path) -> None:
    message = r"the loss is (nan|inf) in step \d+ of epoch 1\n    try: a smaller --lr"
    for rate in (1e30, 1e38):
        with pytest.raises(train.Diverged, match=message):
            train.train(options(tmp_path, learning_rate=rate), digits, lambda line: None)
    assert not (tmp_path / "checkpoint.npz").exists()


def test_a_batch_larger_than_the_data_is_refused(digits: Dataset, tmp_path: Path) -> None:
    with pytest.raises(HariboteError, match="smaller batch"):
        train.train(options(tmp_path, batch=1000), digits, lambda line: None)


@pytest.mark.slow
def test_a_filled_run_says_whose_kernels_it_takes(
    digits: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(monkeypatch, relu=None, dl_256x16_a=None, ul_256x16_a=None)
    data = replace(digits, train_images=digits.train_images[:96], train_labels=digits.train_labels[:96])
    lines: list[str] = []
    wanted = options(tmp_path / "sim", epochs=1, backend="sim", fill=True, require_chip=True, level=1)
    chip = train.train(wanted, data, lines.append)
    torch = train.train(options(tmp_path / "torch", epochs=1), data, lambda line: None)
    assert chip.losses == pytest.approx(torch.losses, abs=1e-5)
    assert "\nyours where they pass: 3 of " in lines[0] and any("-O1" in line for line in lines)


def test_the_chip_trains_as_torch_does(digits: Dataset, tmp_path: Path) -> None:
    data = replace(digits, train_images=digits.train_images[:96], train_labels=digits.train_labels[:96])
    lines: list[str] = []
    chip = train.train(options(tmp_path / "sim", epochs=1, backend="sim", solutions=True), data, lines.append)
    torch = train.train(options(tmp_path / "torch", epochs=1), data, lambda line: None)
    assert chip.losses == pytest.approx(torch.losses, abs=1e-5)
    assert chip.accuracies == torch.accuracies
    cost = r"  on chip 28 of 28 nodes  steps \d+ \+ \d+ MV  -O0  serial [\d,]+ cycles per train step$"
    assert len([line for line in lines if re.search(cost, line)]) == 1
