"""A generator that passes answers the kernel tasks whose rows it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grader.checking import with_credit
from grader.credits import credit, credited, told
from grader.grade.coordinator import verdicts_of, work_key
from grader.grade.journal import Journal
from grader.listing import listing
from grader.points import over_par
from grader.progress import THIRD_EDITION, Progress
from grader.result import Result
from grader.submissions.submission import Submission
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.answers.verdicts import digest_of

MOVER = ("5.35", "5.36", "5.37", "5.38", "5.39", "5.40")
ALL = [task.id for task in all_tasks() if task.shared]


def test_the_mover_answers_every_dl() -> None:
    found = credited(MOVER, MOVER)
    assert set(found) == {"5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.29", "5.30", "5.31"}
    assert set(found.values()) == {"5.40"}


def test_all_of_them_answer_every_kernel_task() -> None:
    assert set(credited(ALL, ALL)) == {task.id for task in all_tasks() if task.is_kernel}


def test_an_answer_of_ones_own_is_not_replaced() -> None:
    assert "5.3" not in credited(MOVER, (*MOVER, "5.3"))


def test_a_generator_whose_parts_do_not_pass_answers_nothing() -> None:
    assert credited([task for task in MOVER if task != "5.38"], MOVER) == {}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course's folder in which the mover is written, as the solution is, and checked."""
    progress = Progress(tmp_path)
    (tmp_path / "runs").mkdir()
    for name in MOVER:
        task = find_task(name)
        path = tmp_path / "haribote" / task.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / "solutions" / task.file).read_bytes())
        assert digest_of(path)
        progress.record(Result(name, task.title, "passed", task.points, task.points, str(path), ""))
    return tmp_path


def test_list_counts_it(course: Path) -> None:
    progress = Progress(course)
    assert progress.generated["5.3"] == "5.40" and progress.points(find_task("5.3")) == credit(find_task("5.3"))
    assert credit(find_task("5.3")) == over_par(10) == 8
    (line,) = (line for line in listing(progress).splitlines() if line.split()[1:2] == ["5.3"])
    assert line.split()[0] == "≈" and " 8 of 10" in line
    assert progress.next_task() is not None and progress.next_task() != find_task("5.1")
    (course / "haribote" / find_task("5.38").file).write_text("raise NotWritten\n")
    assert Progress(course).generated == {} and Progress(course).points(find_task("5.3")) == 0


def test_a_check_says_so(course: Path) -> None:
    bare = Result("5.3", "DL 256x16 A", "not started", 0, 10, "t5_3.py", "write it")
    found = with_credit(bare, Progress(course))
    assert found.points == 8 and found.message == f"{told('5.40')}\nwrite it"
    up = replace(bare, task="5.9")
    failed = replace(bare, state="failed")
    assert with_credit(up, Progress(course)) is up and with_credit(failed, Progress(course)) is failed


def test_grading_counts_it_too(tmp_path: Path) -> None:
    files = {name: b"" for name in MOVER}
    submission = Submission("somebody", "somebody.zip", files)
    journal = Journal(tmp_path)
    for name in MOVER:
        journal.verdicts[work_key(submission, name, 7)] = {"task": name, "state": "passed", "points": 1}
    verdicts = verdicts_of(submission, journal, 7)
    assert verdicts["5.3"]["state"] == "generated" and verdicts["5.3"]["points"] == 8
    assert verdicts["5.7"]["state"] == "not started" and verdicts["5.7"]["points"] == 0


def test_who_began_with_an_older_edition_is_told_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    progress = Progress(tmp_path)
    assert "third_edition" not in listing(progress)
    entry = {"5.12": {"state": "passed", "points": 10, "answer": "x", "at": THIRD_EDITION - 1}}
    (tmp_path / "runs" / "progress.json").write_text(json.dumps(entry))
    assert "docs/third_edition.md" in listing(Progress(tmp_path))
    entry["5.12"]["at"] = THIRD_EDITION + 1
    (tmp_path / "runs" / "progress.json").write_text(json.dumps(entry))
    assert "third_edition" not in listing(Progress(tmp_path))
