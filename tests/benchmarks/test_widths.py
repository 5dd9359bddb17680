"""The table of widths has a share of torch's time for everything that is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.widths import main
from haribote.cpp.build import CompilerMissing, compiler


@pytest.mark.slow
def test_a_row_for_a_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    try:
        compiler()
    except CompilerMissing as error:
        pytest.skip(str(error))
    monkeypatch.setenv("HARIBOTE_CACHE", str(tmp_path))
    assert main(["4", "--batch", "8", "--rounds", "2"]) == 0
    row = capsys.readouterr().out.splitlines()[1]
    assert row.split()[0] == "4"
    shares = dict(re.findall(r"(\w+) \d+ \((\d+\.\d\d)\)", row))
    assert shares["torch"] == "1.00" and {"tiled", "packed"} <= set(shares)
