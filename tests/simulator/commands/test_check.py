"""The command `check`: findings, and nops where they are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.__main__ import main


def test_check_lists_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.vsm"]) == 0
    assert capsys.readouterr().out == "good.vsm: nothing found\n"
    assert main(["check", "hasty.vsm"]) == 1
    assert "hasty.vsm:2:" in capsys.readouterr().out
    assert main(["check", "bad.vsm"]) == 1
    found = capsys.readouterr().out
    assert "bad.vsm:1:" in found and "bad.vsm:3:" in found
    assert main(["check", "bad.vsm", "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)
    assert [finding["line"] for finding in findings] == [1, 3]
    assert set(findings[0]) == {"file", "line", "column", "message", "fix", "severity"}


def test_check_places_nops(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "hasty.vsm", "--fix-nops"]) == 0
    fixed = capsys.readouterr().out
    assert fixed.splitlines()[:3] == ["lpassa $ln0 $lm8", "nop/2", "lpassa $lm8 $lr0"]
    (folder / "fixed.vsm").write_text(fixed)
    assert main(["check", "fixed.vsm"]) == 0
    assert main(["check", "bad.vsm", "--fix-nops"]) == 1
