"""The command `trace`."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.__main__ import main


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.vsm"
    file.write_text('imm f"1.5" $lr0v\nnop\nfvadd $lr0v $lr0v $ln0v\n')
    assert main(["trace", str(file), "$n2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "$n2n0c0b0m0p0 = 0x40400000 (3): line 3, cycle 1: fvadd $lr0v $lr0v $ln0v",
        '    x = $r2n0c0b0m0p0 = 0x3fc00000 (1.5): line 1, cycle 1: imm f"1.5" $lr0v',
        '    y = $r2n0c0b0m0p0 = 0x3fc00000 (1.5): line 1, cycle 1: imm f"1.5" $lr0v',
    ]
    assert main(["trace", str(file), "$n2", "--depth", "0"]) == 0
    assert "… from 2 words" in capsys.readouterr().out
    assert main(["trace", str(file), "$bad"]) == 2
    assert main(["trace", str(tmp_path / "none.vsm"), "$n2"]) == 2
    assert main(["trace", str(file), "$n2", "--before", "0"]) == 2
    error = capsys.readouterr().err
    assert "cannot trace `$bad`" in error and "cannot read" in error and "--before 0" in error
