"""The command `judge`: three outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.__main__ import main


def test_judge_has_three_outcomes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "case.vsm", "answer.vsm"]) == 0
    assert capsys.readouterr().out == "ACCEPTED score=1 steps=1 mv=0 bytes=16\n"
    assert main(["judge", "case.vsm", "wrong.vsm"]) == 1
    assert capsys.readouterr().out.startswith(
        "WRONG ANSWER at [0]: expected 1.5, found 1.0 (GREG0 n0c0b0m0p0 address 0"
    )
    assert main(["judge", "case.vsm", "bad.vsm"]) == 2
    assert main(["judge", "good.vsm", "answer.vsm"]) == 2
