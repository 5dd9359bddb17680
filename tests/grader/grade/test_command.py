"""`grader grade` from the shell: with a sandbox, without, killed and called again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.grading import make_class
from grader.cli import main
from grader.grade.journal import NAME
from grader.sandbox import find_sandbox
from haribote.answers.tasks import ROOT, all_tasks
from tests.grader.sandboxes import sandboxed


@pytest.mark.slow
@sandboxed
def test_grade_from_the_shell(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["grade", str(room), "-o", str(out), "--workers", "1"]
    assert main(command) == 1
    shown = capsys.readouterr().out
    assert "3 submissions, 4 answers, 0 graded before" in shown and "unreadable: it is not a zip" in shown
    assert "the same: ada, bob: all files are the same" in shown
    assert {"report.csv", "report.html", "report.json", NAME} <= set(os.listdir(out))
    found = {s["id"]: s for s in json.loads((out / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["ada"]["tasks"]["5.12"]["state"] == "failed"
    assert main(command) == 1
    assert "4 graded before" in capsys.readouterr().out
    assert main(["progress", str(room), "--graded", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = next(line for line in lines if line.startswith("ada")).split()[1]
    assert first == "···✓✗"  # of the first stage: three puzzles, 0.1, 5.12


def test_without_a_sandbox_it_refuses(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("grader.sandbox.probe.shutil.which", lambda name: None)
    find_sandbox.cache_clear()
    try:
        assert main(["grade", str(room), "-o", str(tmp_path / "out")]) == 2
    finally:
        find_sandbox.cache_clear()
    message = capsys.readouterr().err
    assert "apt-get install bubblewrap" in message or "needs Linux" in message
    assert "--unsafe" in message


@pytest.mark.slow
def test_unsafe_gives_the_same_verdicts(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["grade", str(room), "-o", str(out), "--workers", "1", "--unsafe", "--no-cache"]) == 1
    assert "WITHOUT A SANDBOX" in capsys.readouterr().out
    found = {s["id"]: s for s in json.loads((out / "report.json").read_text())["submissions"]}
    assert found["ada"]["points"] == 5 and found["bob"]["tasks"]["5.12"]["state"] == "failed"


@sandboxed
@pytest.mark.slow
def test_killed_and_called_again(tmp_path: Path) -> None:
    make_class(tmp_path / "class", 2)
    out, journal = tmp_path / "out", tmp_path / "out" / NAME
    command = [sys.executable, "-m", "grader", "grade", str(tmp_path / "class"), "-o", str(out), "--workers", "2"]
    command += ["--task", "0.1", "--task", "2.1", "--task", "2.2", "--task", "5.1", "--task", "5.2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    end = time.monotonic() + 120
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 3) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = journal.read_bytes()
    before = before[: before.rfind(b"\n") + 1]
    assert before
    resumed = [part for part in command if part not in ("--task", "0.1", "2.1", "2.2", "5.1", "5.2")]
    for task in all_tasks():  # without --task only what is missing is graded: leave little
        if task.id not in ("0.1", "2.1", "2.2", "5.1", "5.2"):
            for number in range(2):
                (tmp_path / "class" / f"learner{number:03}" / "haribote" / task.file).unlink()
    subprocess.run(resumed, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    after = journal.read_bytes()
    seed, *verdicts = [json.loads(line) for line in after.splitlines()]
    assert after.startswith(before) and set(seed) == {"seed"} and len(verdicts) == 10
    assert len({line["key"] for line in verdicts}) == 10
    assert {line["verdict"]["seed"] for line in verdicts} == {seed["seed"]}


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--seed", "2012"], "its values are public"), (["--final", "--seed", "7"], "leave one of the two away")],
)
def test_no_mark_rests_on_a_seed_that_everybody_knows(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", str(tmp_path), *options, "-o", str(tmp_path / "graded")]) == 2
    assert words in capsys.readouterr().err and not (tmp_path / "graded").exists()
