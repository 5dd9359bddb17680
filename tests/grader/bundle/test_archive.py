"""The bundle is the course without answers, and is written whole or not at all."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from grader.bundle import archive as bundle
from grader.bundle import wheels
from grader.bundle.wheels import Shortage, System
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT
from tests.grader.bundle.small_wheels import make_wheel

LINUX, WINDOWS = System("linux-x86_64", "3.11"), System("windows-x86_64", "3.11")


@pytest.mark.slow
def test_a_bundle_is_the_course_without_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = make_wheel(tmp_path, "numpy", "2.4")
    digits = tmp_path / "train-images-idx3-ubyte.gz"
    digits.write_bytes(b"digits")
    target = tmp_path / "out" / "bundle.zip"
    bundle.write_bundle(target, [package], [digits], [LINUX], [Shortage(WINDOWS, "torch==2.13.0", "the course")])
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        start = archive.read("haribote/START-HERE.txt").decode()
        stub = archive.read("haribote/haribote/kernels/t5_12_relu.py")
        mode = archive.getinfo("haribote/start.sh").external_attr >> 16
    assert {"haribote/bootstrap.py", "haribote/wheels/numpy-2.4-py3-none-any.whl", "haribote/Makefile"} <= names
    assert {
        "haribote/data/mnist/train-images-idx3-ubyte.gz",
        "haribote/start.bat",
        "haribote/wheels/SYSTEMS.txt",
    } <= names
    assert not any(part in name for name in names for part in ("/.git/", "/.venv/", "__pycache__", "/build/"))
    assert "Python 3.11" in start and "no wheel of torch" in start and str(ROOT) not in start
    assert mode & stat.S_IXUSR
    (tmp_path / "stub.py").write_bytes(stub)
    assert not is_written(tmp_path / "stub.py")
    assert [path.name for path in target.parent.iterdir()] == ["bundle.zip"]


def test_nothing_is_written_where_no_system_is_complete(
    registry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wheels, "roots", lambda: [wheels.Requirement("torch")])
    monkeypatch.setattr(bundle, "TARGET", tmp_path / "target.zip")
    monkeypatch.setattr(bundle, "_mnist", list)
    target = tmp_path / "bundle.zip"
    assert bundle.main(["--systems", "windows-x86_64", "--python", "3.11", "-o", str(target)]) == 2
    assert "the packages of no system are complete" in capsys.readouterr().err and not target.exists()
    both = ["--systems", "windows-x86_64", "linux-x86_64", "--python", "3.11", "-o", str(target)]
    assert bundle.main(both) == 1 and target.exists()
