"""The tasks that are no kernels: their checks, and that the product uses the learner's function once it is written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader import check
from grader.selftest.run import selftest
from grader.trials import trials_of, wrong_of
from haribote.answers import ownership
from haribote.answers.ownership import product_only, withheld
from haribote.answers.resolve import resolve
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from haribote.errors import HariboteError
from haribote.layout import LAYOUTS, position
from haribote.training.evaluation import accuracy

EXERCISES = [task for task in all_tasks() if not task.is_kernel]


SLOW = ("1.1", "3.1")  # torch, and a C++ compiler


each_exercise = pytest.mark.parametrize(
    "task", [pytest.param(t, id=t.id, marks=pytest.mark.slow if t.id in SLOW else ()) for t in EXERCISES]
)


@each_exercise
def test_every_exercise_has_cases_of_different_names_and_wrong_answers(task: Task) -> None:
    names = [trial.name for trial in trials_of(task, 3)]
    assert len(set(names)) == len(names) > 1
    assert len(wrong_of(task)) >= 2


@pytest.mark.slow
@each_exercise
def test_solution_passes_and_wrong_answers_do_not(task: Task) -> None:
    report = selftest([task], mutants=0)
    assert report.passed and report.wrong_answers >= 2, str(report)


def test_the_product_calls_thelearners_function(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, labels = np.eye(10, dtype=np.float32), np.arange(10)
    monkeypatch.setattr(ownership, "learners_function", lambda task: None)
    assert accuracy(logits, labels) == 1
    monkeypatch.setattr(ownership, "learners_function", lambda task: (lambda *_: 0.25) if task == "0.1" else None)
    assert accuracy(logits, labels) == 0.25
    with product_only():
        assert accuracy(logits, labels) == 1
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert accuracy(logits, labels) == 1


@pytest.mark.slow
def test_a_check_does_not_depend_on_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise AssertionError("the answer to another task was called")

    monkeypatch.setattr(ownership, "learners_function", lambda task: broken)
    for task in ("2.3", "5.12"):
        assert check(task, path=ROOT / "solutions" / find_task(task).file).passed


def test_the_products_own_answer_is_withheld() -> None:
    layout = LAYOUTS["16"]
    with withheld("4.1"):
        for call in (lambda: position(layout, "PE"), lambda: layout.position("PE"), lambda: resolve("4.1", False)):
            with pytest.raises(HariboteError, match=r"product's own answer to task 4\.1"):
                call()
        accuracy(np.eye(10, dtype=np.float32), np.arange(10))
    assert layout.position("PE").shape == (16,)


@pytest.mark.parametrize(
    "task, body",
    [
        ("0.1", "from haribote.training.evaluation import accuracy\n"),
        ("2.1", "from haribote.autodiff.elementwise import relu\n"),
        ("4.1", "def position(layout, level):\n    return layout.position(level)\n"),
        ("6.1", "from haribote.answers.resolve import resolve\n\nreserve = resolve('6.1').function\n"),
    ],
)
def test_handing_in_the_products_own_function_fails(tmp_path: Path, task: str, body: str) -> None:
    path = tmp_path / "answer.py"
    path.write_text(body, encoding="utf-8")
    result = check(task, path=path)
    what = "the product's own answer to task" if task == "4.1" else "is not there for answers to task"  # by import
    assert result.state == "failed" and f"{what} {task}" in str(result)


def test_a_written_file_is_what_the_product_runs(tmp_path: Path) -> None:
    """In a tree of its own: task 2.1 written wrongly on purpose shows in the product's rule."""
    for folder in ("haribote", "simulator"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "cpp", "view"))
    code = "from haribote.autodiff.elementwise import relu; print(list(relu(None, None, 'x')))"
    path = tmp_path / "haribote" / find_task("2.1").file
    path.write_text("def relu(g, node, grad):\n    yield 'mine'\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("HARIBOTE_SOLUTIONS", None)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "['mine']", done.stderr


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "body, message",
    [
        ("    yield 1 / 0", "t2_1.py:2: ZeroDivisionError"),
        ("    return", "failed"),
        ("    yield 'nothing'", "failed"),
        ("    while True: pass\n    yield grad", "t2_1.py:2: stopped, for it took longer than 0.5 s"),
        ("    yield 3", "failed"),
        ("    g.require(False, 'nothing at all')\n    yield grad", "but the contract promises this case"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str
) -> None:
    monkeypatch.setattr("grader.checking.find_task", lambda name: replace(find_task(name), seconds=0.5))
    path = tmp_path / "t2_1.py"
    path.write_text(f"def relu(g, node, grad):\n{body}\n", encoding="utf-8")
    result = check("2.1", path=path, seed=1)
    assert result.state == "failed" and message in str(result)
    assert "Traceback" not in str(result)


def test_a_file_without_the_function_is_told(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert "has no function relu" in str(check("2.1", path=path))
    with pytest.raises(HariboteError, match="no task"):
        resolve("2.9")


def test_solutions_stand_in_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    result = check("0.1")
    assert result.passed and result.reference and result.file == "solutions/exercises/t0_1_accuracy.py"
    assert "the course's own answer" in result.checked
    for task in ("0.1", "5.12"):
        answer = resolve(task)
        assert answer and answer.owner == "reference"
    assert resolve("5.12", False) is None or ownership.is_written(ROOT / "haribote" / find_task("5.12").file)
