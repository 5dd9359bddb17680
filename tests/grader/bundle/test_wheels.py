"""The bundle for a room without a network: what is in it, and which packages a system needs."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from grader.bundle import archive as bundle
from grader.bundle import wheels
from grader.bundle.wheels import Shortage, System, collect
from haribote.answers.ownership import is_written
from haribote.answers.tasks import ROOT
from haribote.errors import HariboteError

LINUX, WINDOWS = System("linux-x86_64", "3.11"), System("windows-x86_64", "3.11")


def make_wheel(folder: Path, name: str, version: str, *needs: str) -> Path:
    path = folder / f"{name}-{version}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            f"{name}-{version}.dist-info/METADATA", metadata + "".join(f"Requires-Dist: {n}\n" for n in needs)
        )
    return path


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry of four packages instead of pip's; torch is only there for Linux."""
    known = {
        "torch": ("2.13.0", ["helper[fast]>=1", 'colours; sys_platform == "win32"']),
        "helper": ("1.5", ['quick; extra == "fast"', 'never; extra == "slow"']),
        "quick": ("3", []),
        "colours": ("0.4", []),
    }

    def pip(requirements: list[str], system: System, folder: Path) -> str:
        for requirement in requirements:
            name = requirement.split("=")[0].split(">")[0]
            if name not in known or (name == "torch" and system.name != "linux-x86_64"):
                return f"ERROR: No matching distribution found for {requirement}"
        for requirement in requirements:
            name = requirement.split("=")[0].split(">")[0]
            make_wheel(folder, name, known[name][0], *known[name][1])
        return ""

    monkeypatch.setattr(wheels, "_pip", pip)


def test_dependencies_are_those_of_the_system_that_is_meant(
    registry: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "roots", lambda: [wheels.Requirement("torch>=2.13,<2.14")])
    found, missing = collect(LINUX, tmp_path)
    assert [path.name.split("-")[0] for path in found] == ["helper", "quick", "torch"] and not missing
    found, missing = collect(WINDOWS, tmp_path)
    assert found == [] and missing == [Shortage(WINDOWS, "torch==2.13.0", "the course")]
    assert "no wheel of torch==2.13.0 (needed by the course)" in str(missing[0])
    monkeypatch.setattr(wheels, "roots", lambda: [wheels.Requirement("helper"), wheels.Requirement("nothing")])
    found, missing = collect(WINDOWS, tmp_path)
    assert [path.name.split("-")[0] for path in found] == ["helper"]
    assert [shortage.requirement for shortage in missing] == ["nothing"]


def test_trouble_of_pip_is_no_shortage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "_pip", lambda *rest: "ERROR: connection broken")
    with pytest.raises(HariboteError, match=r"cannot download numpy for linux-x86_64 .*: ERROR: connection"):
        wheels.download(["numpy"], LINUX, tmp_path)


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
