"""What is remembered of checks and hints: nothing is lost, and no verdict waits for it."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import grader.cli
from grader.progress import FILE, Progress
from grader.result import Result
from haribote.answers.tasks import find_task

ROOT = Path(__file__).resolve().parents[2]


def passed(task: str) -> Result:
    return Result(task, find_task(task).title, "passed", 3, 3, "a file", "")


@pytest.mark.slow
def test_checks_at_the_same_time_are_all_recorded(tmp_path: Path) -> None:
    """Each process has read the file before any of them writes."""
    code = """
import sys, time
from pathlib import Path
from grader.progress import Progress
from grader.result import Result
progress = Progress(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for task in sys.argv[2:]:
    progress.record(Result(task, "", "passed", 3, 3, "a file", ""))
"""
    tasks = [["0.1", "1.1", "5.1", "5.2"], ["1.2", "2.1", "5.3", "5.4"], ["2.2", "2.3", "5.5", "5.6"]]
    pipe = subprocess.PIPE
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), *names], stdin=pipe, stdout=pipe, cwd=ROOT)
        for names in tasks
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    known = json.loads((tmp_path / FILE).read_text())
    assert sorted(known) == sorted(name for names in tasks for name in names)
    assert all(entry["points"] == 3 for entry in known.values())


def test_a_verdict_that_cannot_be_recorded_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs").write_text("in the way, as a read-only folder would be")
    monkeypatch.setattr(grader.cli, "Progress", functools.partial(Progress, tmp_path))
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert grader.cli.main(["check", "0.1"]) == 0
    printed = capsys.readouterr()
    assert "task 0.1" in printed.out and "points" in printed.out
    assert printed.err.startswith("warning: your progress is not recorded: ") and printed.err.count("\n") == 1
    for level in (1, 1):
        assert grader.cli.main(["hint", "0.1"]) == 0
        printed = capsys.readouterr()
        assert f"hint {level} of 3" in printed.out and "warning" in printed.err
    assert grader.cli.main(["check", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["state"] == "passed"


def test_hints_grow_stronger_and_a_check_keeps_them(tmp_path: Path) -> None:
    task = find_task("0.1")
    for expected in (0, 1, 2, 2):
        progress = Progress(tmp_path)
        assert progress.next_hint(task) == expected == progress.next_hint(task)
        progress.record_hint(task)
    progress.record(passed("0.1"))
    assert json.loads((tmp_path / FILE).read_text())["0.1"]["hints"] == 3


@pytest.mark.parametrize("content", ["", "[1]", '{"0.1": 3}', '{"0.1": {"hints": "x", "state": 5}}', "\x00", "{"])
def test_a_damaged_record_is_found_again_by_checking(content: str, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / FILE).write_text(content)
    progress, task = Progress(tmp_path), find_task("0.1")
    assert progress.next_hint(task) == 0 and progress.points(task) == 0 and progress.next_task() is not None
    progress.record(passed("0.1"))
    assert json.loads((tmp_path / FILE).read_text())["0.1"]["points"] == 3
