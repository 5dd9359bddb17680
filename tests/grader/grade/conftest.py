"""A folder of submissions to grade."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.grading import complete
from grader.submissions.submission import pack
from haribote.answers.tasks import find_task
from tests.grader.grade.runs import TASKS


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """A folder of three submissions: a course's folder, an archive, and something else."""
    root = tmp_path / "room"
    for task, text in (("0.1", complete(TASKS[0])), ("5.12", "def relu(op): raise SystemExit")):
        path = root / "ada" / "haribote" / find_task(task).file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "bob.zip").write_bytes(pack("bob", root / "ada"))
    (root / "eve.zip").write_bytes(b"not a zip")
    yield root
