"""`haribote plan`: the table of a small network at each level and precision."""

from __future__ import annotations

from pathlib import Path

import pytest

from haribote.commands.cli import main
from haribote.commands.export import export
from tests.long_runs import LONG


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plan") / "step"
    export(folder, None, [8], 16, 0.05, True)
    return folder


def test_levels(step: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(step), "-O0", "--solutions"]) == 0
    assert "cycles" in capsys.readouterr().out
    assert main(["plan", str(step), "-O0", "--svg", "plan.svg"]) == 2
    assert "-O0 there is no picture" in capsys.readouterr().err


@LONG
@pytest.mark.slow
def test_precision_changes_the_plan(step: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = []
    for precision in ("float", "half"):
        assert main(["plan", str(step), "--precision", precision]) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] != tables[1] and all("cycles" in table for table in tables)
    assert main(["plan", str(step), "-O1", "--precision", "half"]) == 2
    assert "-O2" in capsys.readouterr().err
