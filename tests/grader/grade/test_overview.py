"""The progress of a class."""

from __future__ import annotations

from pathlib import Path

from grader.grade.overview import overview
from haribote.answers.tasks import all_tasks


def test_progress_of_a_class(room: Path, tmp_path: Path) -> None:
    (room / "ada" / "runs").mkdir()
    (room / "ada" / "runs" / "progress.json").write_text('{"0.1": [1], "5.12": "x"}')
    text = overview([room], tmp_path / "nothing")
    first = next(line for line in text.splitlines() if line.startswith("ada"))
    assert first.split()[1] == "···??" and f" 0/{len(all_tasks())} " in first
    core = [task for task in all_tasks() if task.level == "core"]
    assert first.split("done")[-1].endswith("0/0/0") and f" 0/{len(core)} " in first
    assert "unreadable" in text and "of 2 have all" in text
