"""`make bench`: its parts, and one quick run of all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap
from benchmarks.bench import main
from tests.long_runs import LONG


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--steps", "x"], ["--rounds", "-1"]])
def test_mistakes_are_told_in_words(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "expected a whole number" in capsys.readouterr().err


@LONG
@pytest.mark.slow
def test_a_quick_run_measures_everything(tmp_path: Path) -> None:
    command = [sys.executable, *bootstrap.JOBS["bench"][-1], "--rounds", "1", "--steps", "2", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=bootstrap.ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    values = {figure["name"]: figure["value"] for figure in report["figures"]}
    assert {"native engine", "NumPy engine", "assembling the whole step", "one epoch of 234 steps"} <= values.keys()
    assert all(value > 0 for value in values.values()) and values["peak memory"] > 100
    assert len(report["families"]) == 10
    assert all(family["native"] > 0 and family["numpy"] > 0 for family in report["families"])
    assert all("judge" in reason for reason in report["skipped"])  # only what needs ../shared
    assert "extrapolated from 2 steps" in done.stdout and "Load average" in done.stdout
    assert (tmp_path / "bench.png").read_bytes().startswith(b"\x89PNG")
