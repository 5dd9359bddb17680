"""The command `profile`, and its picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.__main__ import main


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.vsm"
    file.write_text("l2bmb $lc0 $lb0\nnop\nl1bmm $llb0 $llm0v\n")
    assert main(["profile", str(file), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (
        data["cost"]["steps"] == 3 and data["chains"][0]["nops"] == 1 and data["lanes"]["nop"] == pytest.approx(1 / 3)
    )
    assert main(["profile", str(file), "-o", str(tmp_path / "a.svg")]) == 0
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<svg")
    capsys.readouterr()
    assert main(["profile", str(file), "-o", str(tmp_path / "a.txt")]) == 2
    assert main(["profile", str(tmp_path / "none.vsm")]) == 2
    assert main(["profile", str(file), "-o", str(tmp_path / "a.svg" / "b.png")]) == 2
    assert "is an .svg file" in capsys.readouterr().err


def test_picture_of_a_long_program_and_of_none(tmp_path: Path) -> None:
    long = tmp_path / "long.vsm"
    long.write_text('imm i"1" $ln0\nnop/2\nlpassa $ln0 $lr0\n' * 100 + "mvp/n64 $p0@0 $d0@0\n")
    (tmp_path / "empty.vsm").write_text("")
    pictures = []
    for name in ("long", "long", "empty"):
        assert main(["profile", str(tmp_path / f"{name}.vsm"), "-o", str(tmp_path / "p.svg")]) == 0
        pictures.append((tmp_path / "p.svg").read_bytes())
    assert pictures[0] == pictures[1]  # nothing in it depends on the time of day
    assert len(pictures[2]) < len(pictures[0])


def test_the_overlapped_cost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.vsm"
    source.write_text("mvp/n256 $d0 $lc0@.0\nl2bmd $lc0 $lb0\nnop/9\n", encoding="utf-8")
    assert main(["profile", str(source), "--overlapped"]) == 0
    assert capsys.readouterr().out.startswith("40.0 cycles per run: ")
