"""Completion in bash: the command says what may stand where the cursor is."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from grader.cli import _parser as grader
from haribote.answers.tasks import ROOT
from haribote.commands.cli import _parser as haribote
from haribote.commands.completion import completions


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("grader ch", ["check"]),
        ("grader check 5.1", ["5.1", "5.10", "5.11", "5.12", "5.13", "5.14", "5.15", "5.16", "5.18", "5.19"]),
        ("grader check 5.12 --s", ["--seed"]),
        ("grader hint 5.12 --level ", ["1", "2", "3"]),
        ("grader check 5.12 --seed ", []),
        ("haribote kernel rel", ["relu"]),
        ("haribote kernel --sol", ["--solutions"]),
    ],
)
def test_what_may_stand_there(line: str, wanted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_LINE", line + " and more")
    monkeypatch.setenv("COMP_POINT", str(len(line)))
    assert completions(grader() if line.startswith("grader") else haribote()) == wanted


@pytest.mark.slow
def test_a_command_that_bash_asks_prints_them_and_does_nothing_else() -> None:
    asked = os.environ | {"COMP_LINE": "grader rese", "COMP_POINT": "11"}
    command = [sys.executable, "-m", "grader", "grader", "rese", "grader"]  # as bash calls it: name, word, word before
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=asked)
    assert (done.stdout, done.returncode) == ("reset\n", 0), done.stderr
