"""Training runs: epoch lines, checkpoints that survive, resuming exactly, pictures; and classifying images."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from haribote.commands.cli import main
from haribote.commands.infer import ImageError, read_image, write_picture
from haribote.data.dataset import Dataset
from haribote.errors import HariboteError
from haribote.training import train
from haribote.training.checkpoint import CheckpointError, Run, load_checkpoint, save_checkpoint
from haribote.training.train import Options
from simulator.files import FileError, write_file


@pytest.fixture(scope="module")
def digits() -> Dataset:
    """Twelve batches of 32 images that a linear classifier can tell apart."""
    random = np.random.default_rng(5)
    patterns = np.pad(random.integers(0, 256, (10, 24, 24)), ((0, 0), (2, 2), (2, 2)))
    labels = random.integers(0, 10, 12 * 32 + 50)
    images = np.clip(patterns[labels] + random.normal(0, 40, (len(labels), 28, 28)), 0, 255).astype(np.uint8)
    return Dataset("patterns", "made for a test", images[:-50], labels[:-50], images[-50:], labels[-50:])


def options(folder: Path, **changes: object) -> Options:
    return replace(Options("torch", folder, epochs=2, batch=32, learning_rate=0.05), **changes)  # type: ignore[arg-type]


def test_an_epoch_is_a_line_a_checkpoint_and_a_picture(digits: Dataset, tmp_path: Path) -> None:
    lines: list[str] = []
    run = train.train(options(tmp_path), digits, lines.append)
    pattern = r"epoch (\d)  loss (\d\.\d{4})  accuracy (\d+\.\d\d)%  time \d+\.\ds"
    epochs = [match for line in lines if (match := re.fullmatch(pattern, line))]
    assert [match[1] for match in epochs] == ["1", "2"]
    assert float(epochs[1][2]) < float(epochs[0][2]) == pytest.approx(np.mean(run.losses[:12]), abs=1e-4)
    assert float(epochs[1][3]) == pytest.approx(100 * run.accuracies[1])
    saved, parameters = load_checkpoint(tmp_path / "checkpoint.npz")
    assert saved == run and parameters["0.weight"].shape == (16, 784)
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")


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


def test_the_chip_trains_as_torch_does(digits: Dataset, tmp_path: Path) -> None:
    data = replace(digits, train_images=digits.train_images[:96], train_labels=digits.train_labels[:96])
    lines: list[str] = []
    chip = train.train(options(tmp_path / "sim", epochs=1, backend="sim", solutions=True), data, lines.append)
    torch = train.train(options(tmp_path / "torch", epochs=1), data, lambda line: None)
    assert chip.losses == pytest.approx(torch.losses, abs=1e-5)
    assert chip.accuracies == torch.accuracies
    assert re.search(r"  on chip 28 of 28 nodes  steps \d+ \+ \d+ MV  cycles \d+ per train step$", lines[-1])


@pytest.mark.parametrize("damage", [lambda content: content[:-20], lambda content: b"", lambda content: b"text"])
def test_a_damaged_checkpoint_is_named(damage: object, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.npz"
    save_checkpoint(path, Run([16], 256, 0.01, 42, "mnist"), {"w": np.zeros(3, np.float32)})
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(CheckpointError, match=r"checkpoint\.npz is not a complete checkpoint"):
        load_checkpoint(path)


def test_a_full_disk_keeps_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, run = tmp_path / "checkpoint.npz", Run([16], 256, 0.01, 42, "mnist")
    save_checkpoint(path, run, {"w": np.zeros(3, np.float32)})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="disk is full"):
        save_checkpoint(path, run, {"w": np.ones(3, np.float32)})
    assert not load_checkpoint(path)[1]["w"].any()
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.npz"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_run_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    """Kill a writer again and again in the middle of writing; what is there is always complete."""
    code = (
        "import numpy as np, sys, pathlib\n"
        "from haribote.training.checkpoint import Run, save_checkpoint\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "for value in range(10**6):\n"
        "    save_checkpoint(path, Run([16], 256, 0.01, 42, 'mnist', epoch=value), {'w': np.full(10**6, value)})\n"
        "    print(value, flush=True)\n"
    )
    path = tmp_path / "checkpoint.npz"
    for wait in (0.0, 0.003, 0.011):
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stdout.readline() == "0\n"
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        run, parameters = load_checkpoint(path)
        assert (parameters["w"] == run.epoch).all()


def test_write_file_makes_folders_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "file"
    write_file(target, b"one")
    write_file(target, b"two")
    assert target.read_bytes() == b"two" and len(list(target.parent.iterdir())) == 1


def test_images_of_any_size_and_background_are_read(tmp_path: Path) -> None:
    from PIL import Image

    digit = np.zeros((28, 28), np.uint8)
    digit[4:24, 10:18] = 255
    write_picture(digit, tmp_path / "small.png")
    assert np.array_equal(read_image(tmp_path / "small.png"), digit.ravel())
    large = np.full((300, 200), 250, np.uint8)
    large[50:250, 60:140] = 5
    Image.fromarray(large).save(tmp_path / "large.png")
    assert np.array_equal(read_image(tmp_path / "large.png") > 127, digit.ravel() > 127)
    Image.fromarray(np.zeros((50, 50), np.uint8)).save(tmp_path / "empty.png")
    with pytest.raises(ImageError, match="nothing to see"):
        read_image(tmp_path / "empty.png")
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ImageError, match="as a picture"):
        read_image(tmp_path / "text.png")


def test_infer_classifies_with_the_checkpoint(
    digits: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train.train(options(tmp_path, epochs=8), digits, lambda line: None)
    pictures = [tmp_path / f"{number}.png" for number in range(3)]
    for number, picture in enumerate(pictures):
        write_picture(digits.train_images[number], picture)
    arguments = ["infer", *map(str, pictures), "--checkpoint", str(tmp_path / "checkpoint.npz"), "--backend"]
    for backend in (["torch"], ["sim", "--solutions"]):
        assert main([*arguments, *backend]) == 0
        found = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
        assert found == [str(label) for label in digits.train_labels[:3]]


def test_mistakes_are_messages_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = {
        ("infer", "x.png", "--backend", "torch", "--checkpoint", str(tmp_path / "no.npz")): "there is no checkpoint",
        ("compile", str(tmp_path), "--backend", "sim"): "is not a case",
        ("kernel", "no_such"): "there is no kernel 'no_such'",
        ("kernel",): "which kernel?",
        ("kernel", "--testcase", str(tmp_path / "none.vsm")): "cannot read",
        ("train", "--backend", "torch", "--data", str(tmp_path / "no")): "is not a folder",
        ("view", str(tmp_path / "no.onnx")): "cannot read",
        ("export", "--model", "no.py:model", "-o", str(tmp_path)): "no file no.py",
    }
    for command, message in commands.items():
        assert main(command) == 2
        captured = capsys.readouterr()
        assert message in captured.err and "Traceback" not in captured.err, command


@pytest.mark.parametrize(
    "options", [("--hidden", "0"), ("--batch", "-3"), ("--epochs", "0"), ("--lr", "nan"), ("--lr", "-1"), ("--lr", "x")]
)
def test_numbers_that_make_no_sense_are_refused(options: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["train", "--backend", "torch", *options])
    assert stop.value.code == 2
    assert options[0] in capsys.readouterr().err
