"""The commands of the grader."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader.checking
import grader.cli
import grader.progress
from grader.cli import main, watch
from grader.progress import Progress
from haribote.answers.tasks import ROOT, all_tasks, find_task

RELU = find_task("5.12")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's own tree: stubs and solutions, nothing written yet."""
    for folder in ("haribote/kernels", "haribote/exercises", "solutions"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "stubs.json", tmp_path / "grader")
    for module in (grader.checking, grader.cli):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(grader.cli, "Progress", lambda: Progress(tmp_path))
    monkeypatch.setattr(grader.cli, "reset", lambda task: grader.stubs.reset(task, tmp_path))
    return tmp_path


def solve(course: Path) -> None:
    shutil.copy(course / "solutions" / RELU.file, course / "haribote" / RELU.file)


def test_list_shows_every_task_and_the_next(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert all(f" {task.id} " in shown for task in all_tasks())
    assert f"next: task {all_tasks()[0].id} " in shown and f"0 of {sum(t.points for t in all_tasks())} points" in shown


def test_check_and_progress(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "5.12"]) == 1
    assert "not started" in capsys.readouterr().out
    solve(course)
    assert Progress(course).state(RELU) == "not checked"
    assert main(["check", "5.12", "--final"]) == 0
    assert "✓ task 5.12" in capsys.readouterr().out
    assert Progress(course).state(RELU) == "passed" and Progress(course).points(RELU) == RELU.points
    path = course / "haribote" / RELU.file
    path.write_text(path.read_text().replace("frelu", "ferlu"))
    assert Progress(course).points(RELU) == 0
    assert main(["check", "5.12"]) == 1
    assert "--seed" in capsys.readouterr().out


def test_check_as_json(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solve(course)
    assert main(["check", "5.12", "5.13", "--json", "--seed", "3"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert first["costs"] == {"relu": {"score": 2, "par": 2}} and first["seed"] == 3
    assert second["state"] == "not started"


def test_hints_grow_stronger(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2, 3, 3):
        assert main(["hint", "5.12"]) == 0
        assert f"hint {number} of 3" in capsys.readouterr().out
    assert main(["hint", "5.12", "--level", "1"]) == 0
    assert RELU.hints[0] in capsys.readouterr().out


def test_reset_tells_where_the_backup_is(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solve(course)
    assert main(["reset", "5.12"]) == 0
    backup = Path(capsys.readouterr().out.splitlines()[-1].split()[-1])
    assert "frelu" in backup.read_text()
    assert Progress(course).state(RELU) == "not started"


def test_watch_checks_on_save_and_moves_on(course: Path) -> None:
    def saves(path: Path) -> Iterator[object]:
        yield "now"
        if path.name == Path(RELU.file).name:
            solve(course)
            yield "saved"

    lines = list(watch(RELU, saves))
    assert ["not started" in lines[1], "passed" in lines[2]] == [True, True]
    assert Path(all_tasks()[0].file).name in lines[3]


def test_an_unknown_task_is_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "9.9"]) == 2
    assert "there is no task '9.9'" in capsys.readouterr().err
