"""The table of levels: -O1 costs less and gives the same bits."""

from __future__ import annotations

import pytest

from benchmarks.levels import main
from haribote.chip import program


def test_a_row_for_each_level(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "schedule", lambda found: found)  # it takes seconds
    assert main(["16-10:256", "--steps", "1"]) == 0
    _, plain, resident = (line.split() for line in capsys.readouterr().out.strip().split("\n"))
    assert plain[1] == "-O0" and resident[1] == "-O1" and resident[-2] == "same"
    assert plain[-1] == resident[-1] and float(plain[-1]) < 1e-6
    assert int(resident[2].replace(",", "")) < int(plain[2].replace(",", ""))
