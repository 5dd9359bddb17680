"""`make bench`: its parts, and one quick run of all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap
from benchmarks.bench import main
from benchmarks.families import ENOUGH, MOVES, family_lines, program_of
from benchmarks.figures import Figure
from haribote.chip.program import ProgramPart
from haribote.training.backends import SimBackend
from haribote.training.models import mlp
from simulator.isa.program import Move, Step


def test_targets_are_upper_or_lower_bounds() -> None:
    assert Figure("s", "n", 40, "ms", 40).met and not Figure("s", "n", 40.1, "ms", 40).met
    assert Figure("s", "n", 10, "x", 10, at_least=True).met and not Figure("s", "n", 9.9, "x", 10, at_least=True).met
    assert Figure("s", "n", 1, "ms").met is None
    assert "✓ target ≤ 40 ms" in str(Figure("s", "n", 12.345, "ms", 40)) and "12.3" in str(Figure("s", "n", 12.34, ""))
    assert "✗ target ≥ 10 x" in str(Figure("s", "n", 2, "x", 10, at_least=True))


def test_every_instruction_of_the_step_is_in_one_family() -> None:
    compiled = SimBackend(mlp(784, 16, 10), 0.01, 256, solutions=True, engine="numpy").compiled
    families = family_lines(compiled)
    lines = [line for part in compiled.parts if isinstance(part, ProgramPart) for line in part.program.lines]
    wanted = [i.location for s in lines if isinstance(s, Step) if not s.is_nop for i in s.instructions]
    found = [i.location for part in families.values() for s in part if isinstance(s, Step) for i in s.instructions]
    assert len(families) == 10 and sorted(found, key=repr) == sorted(wanted, key=repr)
    assert families[MOVES] == tuple(line for line in lines if isinstance(line, Move))
    repeated = program_of("MAU double", families["MAU double"], ENOUGH).lines
    assert ENOUGH <= len(repeated) < ENOUGH + len(families["MAU double"])


@pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--steps", "x"], ["--rounds", "-1"]])
def test_mistakes_are_told_in_words(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "expected a whole number" in capsys.readouterr().err


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
