"""The simulator's commands and their exit status: 0 fine, 1 a negative verdict, 2 a mistake in the input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.__main__ import main
from simulator.judge.verdict import MARKER

ROOT = Path(__file__).resolve().parents[3]
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


def test_judge_has_three_outcomes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "case.vsm", "answer.vsm"]) == 0
    assert capsys.readouterr().out == "ACCEPTED score=1 steps=1 mv=0 bytes=16\n"
    assert main(["judge", "case.vsm", "wrong.vsm"]) == 1
    assert capsys.readouterr().out.startswith(
        "WRONG ANSWER at [0]: expected 1.5, found 1.0 (GREG0 n0c0b0m0p0 address 0"
    )
    assert main(["judge", "case.vsm", "bad.vsm"]) == 2
    assert main(["judge", "good.vsm", "answer.vsm"]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.vsm"], "cannot read none.vsm: No such file"),
        (["run", "."], "cannot read .: Is a directory"),
        (["run", "binary.vsm"], "binary.vsm is not a text file"),
        (["run", "bad.vsm"], "bad.vsm:1:"),
        (["run", "beyond.vsm", "--no-hazards"], "beyond.vsm:2: the turnaround register holds nothing"),
        (["run", "good.vsm", "-d", "good.vsm/below"], "cannot write good.vsm/below"),
        (["check", "none.vsm"], "cannot read none.vsm"),
    ],
)
def test_mistakes_are_messages(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_the_module_runs_as_a_command(folder: Path) -> None:
    command = [sys.executable, "-m", "simulator"]
    done = subprocess.run([*command, "run", folder / "good.vsm"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, LINES, "")
    done = subprocess.run([*command, "walk"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2 and "invalid choice" in done.stderr
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("run", "check", "judge"))
