"""The commands of the grader."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader.checking
import grader.cli
import grader.listing
import grader.progress
from grader.cli import main
from grader.progress import Progress
from grader.watching import Event, events_of, watch
from haribote.answers.tasks import ROOT, all_tasks, find_task
from simulator.columns import columns
from simulator.language import spoken

RELU = find_task("5.12")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's own tree: stubs and solutions, nothing written yet."""
    for folder in ("haribote/kernels", "haribote/exercises", "solutions"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "stubs.json", tmp_path / "grader")
    for module in (grader.checking, grader.listing):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(grader.cli, "Progress", lambda: Progress(tmp_path))
    monkeypatch.setattr(grader.cli, "reset", lambda task, text: grader.stubs.reset(task, tmp_path, text))
    return tmp_path


def solve(course: Path) -> None:
    shutil.copy(course / "solutions" / RELU.file, course / "haribote" / RELU.file)


def test_list_shows_every_task_and_the_next(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert all(f" {task.id} " in shown for task in all_tasks())
    assert f"next: task {all_tasks()[0].id} " in shown and f"0 of {sum(t.points for t in all_tasks())} points" in shown


def test_list_fits_a_terminal_in_both_languages(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language in ("en", "ja"):
        with spoken(language):
            assert main(["list"]) == 0
        lines = capsys.readouterr().out.splitlines()  # the path is of this test's own folder
        assert [line for line in lines if columns(line) > 80 and str(course) not in line] == []


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


@pytest.mark.slow
def test_a_check_in_a_notebook_counts_as_well(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solve(course)
    assert grader.checking.check("5.12", keep=False).passed and Progress(course).state(RELU) == "not checked"
    assert grader.checking.check("5.12").passed and Progress(course).state(RELU) == "passed"
    assert capsys.readouterr() == ("", "")


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


def test_list_follows_the_notebooks(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = lines.index("05_mncore_ops/01_down_and_up   core: 20 min")
    assert [line.split()[1] for line in lines[first + 1 : first + 5]] == ["5.1", "5.7", "5.3", "5.9"]
    assert any(line.split()[1] == "5.24" and line.endswith("challenge") for line in lines if line.startswith("  "))


def test_next_names_the_notebook(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["next"]) == 0
    shown = capsys.readouterr().out
    assert "task 4.8" in shown and "notebooks/00_start/01_welcome, section 1" in shown


def watched(course: Path, *events: Event) -> list[str]:
    """What `watch` says of Relu, whose file is written before the first "saved"; of other tasks nothing happens."""

    def happen(path: Path) -> Iterator[Event]:
        yield "now"
        for event in events if path.name == Path(RELU.file).name else ():
            if event == "saved":
                solve(course)
            yield event

    return list(watch(RELU, happen, course))


def test_watch_waits_for_the_file_and_stays_in_the_stage(course: Path) -> None:
    lines = watched(course, "saved")
    assert "section 2" in lines[0] and lines[1] == "waiting until it is written" and "passed" in lines[3]
    assert any("task 4.8 " in line for line in lines[4:]) and Progress(course).state(RELU) == "passed"


def test_watch_keeps_place_cause_and_next_step_in_sight(course: Path) -> None:
    """Of a wrong answer the first 40 lines, about a terminal, hold all three; the picture is elsewhere."""

    def happen(path: Path) -> Iterator[Event]:
        yield "now"
        solve(course)
        answer = course / "haribote" / RELU.file
        answer.write_text(answer.read_text().replace('yield f"frelu', 'if at == 0:\n            yield f"frelu'))
        yield "saved"
        yield "quit"

    text = "\n".join(watch(RELU, happen, course))
    assert len(text.splitlines()) <= 40, text
    assert "case: " in text and "likely cause: never written" in text and "next: grader debug 5.12" in text, text
    assert text.index("case: ") < text.index("likely cause: ") < text.index("next: ")


def test_watch_has_keys(course: Path) -> None:
    lines = watched(course, "hint", "hint", "quit", "saved")
    assert ["hint 1 of 3" in lines[2], "hint 2 of 3" in lines[3]] == [True, True]
    assert "task 4.8 " in watched(course, "next")[2]


def test_events_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.watching.POLL", 0.01)
    path = tmp_path / "answer.py"
    events = events_of(path)
    assert next(events) == "now"
    path.write_text("x")
    assert next(events) == "saved"


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
def test_keys_of_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = os.openpty()
    with open(terminal, "rb", 0) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        events = events_of(tmp_path / "answer.py")
        next(events)
        os.write(controller, b"xhQ")
        assert [next(events), next(events)] == ["hint", "quit"]
        events.close()
    os.close(controller)


def test_an_unknown_task_is_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "9.9"]) == 2
    assert "there is no task '9.9'" in capsys.readouterr().err
    assert main(["check", "5.122"]) == 2
    assert "did you mean 5." in capsys.readouterr().err
