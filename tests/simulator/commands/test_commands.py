"""The simulator's commands and their exit status: 0 fine, 1 a negative verdict, 2 a mistake in the input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from simulator.__main__ import main

ROOT = Path(__file__).resolve().parents[3]


HASTY = "lpassa $ln0 $lm8\nlpassa $lm8 $lr0\n"  # LM0 read right after its write


DUMP = "d getf $lr0n0c0b0m0p0 1\n"


LINES = [
    "DEBUG-GREG0(n0c0b0m0p0,0):(1.5, 1.5) (0x3fc00000, 0x3fc00000) #d getf $lr0n0c0b0m0p0 1",
    "DEBUG-GREG0(n0c0b0m0p0,0):(2, 2) (0x40000000, 0x40000000) #d getf $lr0n0c0b0m0p0 1",
]


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


@pytest.mark.slow
def test_the_module_runs_as_a_command(folder: Path) -> None:
    command = [sys.executable, "-m", "simulator"]
    done = subprocess.run([*command, "run", folder / "good.vsm"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, LINES, "")
    done = subprocess.run([*command, "walk"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 2 and "invalid choice" in done.stderr
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("run", "check", "judge"))
