"""The command `run`: dump lines, and hazards that are errors unless waived."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.__main__ import main

LINES = [
    "DEBUG-GREG0(n0c0b0m0p0,0):(1.5, 1.5) (0x3fc00000, 0x3fc00000) #d getf $lr0n0c0b0m0p0 1",
    "DEBUG-GREG0(n0c0b0m0p0,0):(2, 2) (0x40000000, 0x40000000) #d getf $lr0n0c0b0m0p0 1",
]


def test_run_prints_dump_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "good.vsm"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES
    assert main(["run", "good.vsm", "--until", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == LINES[:1]
    assert main(["run", "good.vsm", "-d", "out.txt"]) == 0
    assert capsys.readouterr().out == ""
    assert (folder / "out.txt").read_text().splitlines() == LINES
    assert not list(folder.glob("tmp*"))


def test_hazards_are_errors_unless_waived(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "hasty.vsm"]) == 2
    stopped = capsys.readouterr()
    assert stopped.out == "" and "hasty.vsm:2:" in stopped.err
    assert main(["run", "hasty.vsm", "--no-hazards"]) == 0
    waived = capsys.readouterr()
    assert waived.out.startswith("DEBUG-GREG0") and "hasty.vsm:2:" in waived.err
