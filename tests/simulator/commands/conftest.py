"""A folder of programs and a test case for the commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.judge.verdict import MARKER

HASTY = "lpassa $ln0 $lm8\nlpassa $lm8 $lr0\n"  # LM0 read right after its write


DUMP = "d getf $lr0n0c0b0m0p0 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "good.vsm": f'imm f"1.5" $lr0\n{DUMP}imm f"2" $lr0\n{DUMP}',
        "hasty.vsm": HASTY + DUMP,
        "bad.vsm": "lpasa $lm0 $lr0\nnop\nlpassa $lm1 $lr0\n",
        "case.vsm": f"{MARKER}\nd getf $lr0n0c0b0m0p0 1 # expect=[1.5, 1.5] / Float @[0],[1]\n",
        "answer.vsm": 'imm f"1.5" $lr0\n',
        "wrong.vsm": 'imm f"1" $lr0\n',
        "beyond.vsm": "nop\nl1bmm $lbi $lr0v\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.vsm").write_bytes(b"\xff\xfe\x00")
    return tmp_path
