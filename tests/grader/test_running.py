"""Answers that other answers import: found by reading, given to the run, graded with the submission they are in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import grader.running
from grader.course import verdict_hash
from grader.grade.coordinator import shared_files, work_key
from grader.grade.work import Work, grade_one
from grader.running import shared_with
from grader.submissions.submission import Submission
from haribote.answers.tasks import all_tasks, find_task
from tests.grader.sandboxes import sandboxed

MAX = find_task("5.21")
"""Stands for a generator here: a task that is shared."""
MODULE = "haribote.kernels.t5_21_max_rows"
LINES = b"def lines(op):\n    for at in range(0, op.x.words, 4):\n        x, y = op.x.word(at), op.y.word(at)\n"
GENERATOR = LINES + b'        yield f"frelu {x} {x} {y}"\n'
USER = f"""
from haribote.kernel import kernel
from {MODULE} import lines

@kernel("5.12", "Relu")
def relu(op):
    yield from lines(op)
""".encode()


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = tuple(replace(task, shared=task.id == MAX.id) for task in all_tasks())
    monkeypatch.setattr(grader.running, "all_tasks", lambda: tasks)


def graded(files: dict[str, bytes]) -> dict[str, object]:
    submission = Submission("ada", "ada.zip", files)
    beside = shared_files(submission, "5.12")
    return grade_one(Work("key", "ada.zip", "5.12", files["5.12"], 5, verdict_hash(), cached=False, shared=beside))


def test_what_is_imported_is_found_and_what_that_imports() -> None:
    place = f"{MODULE.replace('.', '/')}.py"
    assert shared_with(USER, lambda task: GENERATOR) == {place: GENERATOR}
    assert b"NotWritten" in shared_with(USER, lambda task: None)[place]
    assert shared_with(b"import haribote.kernel", lambda task: GENERATOR) == {}
    assert shared_with(b"def broken(", lambda task: GENERATOR) == {}


def test_another_generator_is_another_answer() -> None:
    one, other = ({"5.12": USER, "5.21": text} for text in (GENERATOR, GENERATOR + b"# more\n"))
    keys = {work_key(Submission("ada", "ada.zip", files), "5.12", 1) for files in (one, other)}
    assert len(keys) == 2
    alone = {"5.12": b"x = 1\n", "5.21": GENERATOR}
    assert shared_files(Submission("ada", "ada.zip", alone), "5.12") == ()


@sandboxed
@pytest.mark.slow
def test_it_is_graded_with_the_generator_of_its_own_submission() -> None:
    assert graded({"5.12": USER, "5.21": GENERATOR})["state"] == "passed"
    wrong = graded({"5.12": USER, "5.21": GENERATOR.replace(b"frelu", b"fvneg")})
    assert wrong["state"] == "failed" and wrong["points"] == 0
    lacking = graded({"5.12": USER})
    assert lacking["state"] == "failed" and "cannot import name 'lines'" in str(lacking["failure"])


@pytest.mark.slow
def test_a_check_takes_the_learners_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "answer.py"
    path.write_bytes(USER)
    monkeypatch.setattr(grader.running, "_reference", lambda task: GENERATOR)
    assert grader.check("5.12", path=path, seed=5, keep=False).passed
