"""Checkpoints survive a full disk, a killed run and damage, or say so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from haribote.training.checkpoint import CheckpointError, Run, load_checkpoint, save_checkpoint
from simulator.files import FileError


def unknown_method(content: bytes) -> bytes:
    """The archive, its first array packed in a way that nobody knows."""
    first = content.index(b"PK\x01\x02")
    return content[: first + 10] + b"\x63\x00" + content[first + 12 :]


@pytest.mark.parametrize(
    "damage", [lambda content: content[:-20], lambda content: b"", lambda content: b"text", unknown_method]
)
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


@pytest.mark.slow
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
