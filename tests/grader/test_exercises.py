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
from grader.exercise_cases import NEAR, TRIALS, WRONG
from grader.selftest import selftest
from haribote import tasks
from haribote.errors import HariboteError
from haribote.tasks import ROOT, Function, Task, all_tasks, find_task, resolve
from haribote.train import accuracy

EXERCISES = [task for task in all_tasks() if not task.rows]

each_exercise = pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)


def test_every_exercise_has_cases_and_wrong_answers() -> None:
    assert {task.id for task in EXERCISES} == set(TRIALS) == set(WRONG)


@each_exercise
def test_solution_passes_and_wrong_answers_do_not(task: Task) -> None:
    report = selftest([task])
    assert report.passed and report.wrong_answers >= 2, str(report)


@each_exercise
def test_the_products_own_function_passes_the_same_cases(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_learners_function", lambda name: None)
    answer = resolve(task.id)
    assert isinstance(answer, Function) and answer.owner == "product"
    for trial in TRIALS[task.id](answer.function, np.random.default_rng(3)):
        np.testing.assert_allclose(trial.received, trial.expected, rtol=NEAR, atol=NEAR, err_msg=trial.name)


def test_the_product_calls_the_learners_function(monkeypatch: pytest.MonkeyPatch) -> None:
    logits, labels = np.eye(10, dtype=np.float32), np.arange(10)
    monkeypatch.setattr(tasks, "_learners_function", lambda task: None)
    assert accuracy(logits, labels) == 1
    monkeypatch.setattr(tasks, "_learners_function", lambda task: (lambda *_: 0.25) if task == "0.1" else None)
    assert accuracy(logits, labels) == 0.25


def test_a_check_does_not_depend_on_other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise AssertionError("the answer to another task was called")

    monkeypatch.setattr(tasks, "_learners_function", lambda task: broken)
    for task in ("2.3", "5.12"):
        assert check(task, path=ROOT / "solutions" / find_task(task).file).passed


def test_a_written_file_is_what_the_product_runs(tmp_path: Path) -> None:
    """In a tree of its own: task 2.1 written wrongly on purpose shows in the product's rule."""
    for folder in ("haribote", "simulator"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "cpp", "view"))
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "tasks.toml", tmp_path / "grader")
    code = "from haribote.gradients.elementwise import relu; print(list(relu(None, None, 'x')))"
    path = tmp_path / "haribote" / find_task("2.1").file
    path.write_text("def relu(g, node, grad):\n    yield 'mine'\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "['mine']", done.stderr


@pytest.mark.parametrize(
    "body, message",
    [
        ("    yield 1 / 0", "t2_1.py:2: ZeroDivisionError"),
        ("    return", "failed"),
        ("    yield 'nothing'", "failed"),
        ("    while True: pass\n    yield grad", "t2_1.py:2: stopped"),
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
