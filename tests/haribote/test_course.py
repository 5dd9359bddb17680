"""What notebooks use: cells go on without an unwritten task, and see the learner's files as they are now."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from haribote import course
from haribote.answers import ownership, resolve
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Kernel


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARIBOTE_SOLUTIONS", raising=False)


def test_a_cell_without_the_task_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with course.skip_unwritten():
        raise NotWritten("task 2.1 (the gradient of Relu) is not written yet; check it with …")
    assert capsys.readouterr().out == "task 2.1 is not written yet: the rest of this cell is skipped\n"


def test_a_mistake_with_a_message_shows_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    with course.skip_unwritten():
        raise HariboteError("rows are 3", "4 rows")
    assert capsys.readouterr().out == "rows are 3\n    try: 4 rows\n    the rest of this cell is skipped\n"


def test_any_other_error_is_the_learners_to_see() -> None:
    with pytest.raises(ZeroDivisionError), course.skip_unwritten():
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "def accuracy(logits, labels)\n    return 1\n",
            "haribote/exercises/t0_1_accuracy.py:1: SyntaxError: expected ':'",
        ),
        ("def accuracy(logits, labels):\n    return x\n", "haribote/exercises/t0_1_accuracy.py:2: NameError: name 'x'"),
    ],
)
def test_a_mistake_in_a_learners_file_names_its_line(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "haribote" / "exercises"
    folder.mkdir(parents=True)
    (folder / "t0_1_accuracy.py").write_text(text, encoding="utf-8")
    importlib.import_module("haribote.exercises")
    monkeypatch.setattr(sys.modules["haribote.exercises"], "__path__", [str(folder)])
    for module in (ownership, resolve):
        monkeypatch.setattr(module, "is_written", lambda path: True)
    try:
        with course.skip_unwritten():
            function = course.answer("0.1")
            assert callable(function)
            function(None, None)
    finally:
        course.reread()
    shown = capsys.readouterr().out
    assert message in shown and shown.endswith("the rest of this cell is skipped\n")


def test_with_solutions_nothing_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    with pytest.raises(NotWritten), course.skip_unwritten():
        raise NotWritten("task 2.1 is not written yet")


def test_answers_of_a_bare_tree_are_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (ownership, resolve):
        monkeypatch.setattr(module, "is_written", lambda path: False)
    for task in ("2.1", "5.12"):
        with pytest.raises(NotWritten, match=f"task {task}"):
            course.answer(task)


def test_an_answer_is_read_afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "haribote.exercises.t0_1_accuracy"
    importlib.import_module(module)
    course.reread()
    assert module not in sys.modules and "t0_1_accuracy" not in vars(sys.modules["haribote.exercises"])

    written = tmp_path / "t0_1_accuracy.py"
    monkeypatch.setattr(sys.modules["haribote.exercises"], "__path__", [str(tmp_path)])
    for module in (ownership, resolve):
        monkeypatch.setattr(module, "is_written", lambda path: True)
    try:
        for text in ("return 1", "return 10"):
            written.write_text(f"def accuracy(guesses, labels):\n    {text}\n", encoding="utf-8")
            function = course.answer("0.1")
            assert callable(function) and function(None, None) == int(text.split()[1])
    finally:
        course.reread()


def test_with_solutions_an_answer_is_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARIBOTE_SOLUTIONS", "1")
    assert course.answer("2.1").__module__.startswith("solutions.")
    assert isinstance(course.answer("5.12"), Kernel)


def test_long_cells_are_short_in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARIBOTE_SHORT", raising=False)
    assert course.planned(100, short=3) == 100
    monkeypatch.setenv("HARIBOTE_SHORT", "1")
    assert course.planned(100, short=3) == 3
