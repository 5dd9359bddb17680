"""A verdict holds as long as the file that it is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from haribote.answers import verdicts
from haribote.answers.tasks import find_task

pytestmark = pytest.mark.usefixtures("with_solutions")


def test_a_verdict_holds_as_long_as_the_file_stays(tmp_path: Path) -> None:
    task, file = find_task("5.12"), tmp_path / "haribote" / find_task("5.12").file
    file.parent.mkdir(parents=True)
    file.write_text("one", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""
    record = tmp_path / verdicts.FILE
    record.parent.mkdir()
    entry = {"state": "failed", "points": 0, "answer": verdicts.digest_of(file)}
    record.write_text(json.dumps({"5.12": entry}), encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == "failed"
    file.write_text("two", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""
    verdicts.remember(file, "passed")
    assert verdicts.last_verdict(task, tmp_path) == "passed"
    file.write_text("one", encoding="utf-8")
    record.write_text("{", encoding="utf-8")
    assert verdicts.last_verdict(task, tmp_path) == ""
