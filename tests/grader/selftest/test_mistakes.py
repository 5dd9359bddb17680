"""Each likely cause has a mistake that must be called by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import check
from grader.feedback.causes import CAUSES
from grader.selftest.mistakes import MISTAKES, Mistake
from haribote.answers.tasks import ROOT, find_task


def answer(tmp_path: Path, task: str, old: str = "", new: str = "") -> Path:
    """A solution with one place changed."""
    source = (ROOT / "solutions" / find_task(task).file).read_text(encoding="utf-8")
    assert old in source
    path = tmp_path / Path(find_task(task).file).name
    path.write_text(source.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: f"{mistake.task} {mistake.cause}")
def test_the_cause_is_named(tmp_path: Path, mistake: Mistake) -> None:
    result = check(mistake.task, path=answer(tmp_path, mistake.task, mistake.old, mistake.new), seed=1)
    assert result.state == "failed" and result.failure is not None
    assert result.failure.cause == mistake.cause, str(result)
    assert f"likely cause: {mistake.cause}" in str(result)


def test_every_cause_has_a_mistake() -> None:
    assert {mistake.cause for mistake in MISTAKES} == set(CAUSES)
