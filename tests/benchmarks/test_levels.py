"""The table of levels: -O1 costs less and gives the same bits."""

from __future__ import annotations

import pytest

from benchmarks.levels import main
from haribote.chip import program


@pytest.mark.slow
def test_a_row_for_each_level(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "schedule", lambda found: found)  # it takes seconds
    assert main(["16-10:256", "--steps", "1"]) == 0
    _, plain, resident = (line.split() for line in capsys.readouterr().out.strip().split("\n"))
    assert plain[1] == "-O0" and resident[1] == "-O1" and resident[-2] == "same"
    assert plain[-1] == resident[-1] and float(plain[-1]) < 1e-6
    assert plain[2] == resident[2] == "16/16"
    assert int(resident[3].replace(",", "")) < int(plain[3].replace(",", ""))


def test_a_level_without_kernels_for_the_network_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lenet:1", "--levels", "0", "--steps", "0"]) == 0
    assert "-O0           - pad: input 'x' has shape [1, 1, 28, 28]" in capsys.readouterr().out
