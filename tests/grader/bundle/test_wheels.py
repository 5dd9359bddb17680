"""Which packages a system needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.bundle import wheels
from grader.bundle.wheels import Shortage, System, collect
from haribote.errors import HariboteError

LINUX, WINDOWS = System("linux-x86_64", "3.11"), System("windows-x86_64", "3.11")


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
