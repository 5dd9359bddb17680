"""Every file that may decide a verdict is in its hash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import grader.course
import grader.grade.run
from grader.course import check_files, course_hash, verdict_files, verdict_hash
from grader.grade.coordinator import work_key
from grader.submissions.submission import Submission
from haribote.answers.tasks import ROOT

LEARNER = Submission("ada", "ada.zip", {"0.1": b"x", "5.12": b"y"})


# Judges answers of every kind, and tells which modules that took.
_JUDGING = """
import sys
from grader.checking import check
from haribote.errors import HariboteError
from haribote.answers.tasks import ROOT, find_task
for task in ("0.1", "1.1", "1.2", "2.3", "3.1", "3.2", "3.5", "4.1", "4.2", "4.3", "5.1", "5.12", "6.1", "6.2"):
    check(task, path=ROOT / "solutions" / find_task(task).file, seed=1)
print(*(m.__file__ for n, m in list(sys.modules.items()) if n.split(".")[0] in ("grader", "haribote", "simulator")))
"""


@pytest.fixture
def fresh() -> Iterator[None]:
    """No hash is remembered, before and after."""
    for hashed in (course_hash, verdict_hash):
        hashed.cache_clear()
    yield
    for hashed in (course_hash, verdict_hash):
        hashed.cache_clear()


@pytest.mark.slow
def test_every_file_that_may_decide_a_verdict_changes_the_key(monkeypatch: pytest.MonkeyPatch, fresh: None) -> None:
    files = verdict_files()
    keys = {work_key(LEARNER, "5.12", 1)}
    for name, content in files.items():
        monkeypatch.setattr(grader.course, "verdict_files", lambda n=name, c=content: {**files, n: c + b"#"})
        verdict_hash.cache_clear()
        keys.add(work_key(LEARNER, "5.12", 1))
    assert len(keys) == len(files) + 1


@pytest.mark.slow
def test_no_module_that_judges_is_forgotten() -> None:
    """What Python really imports, beside what is found by name and by reading imports."""
    shown = subprocess.run([sys.executable, "-c", _JUDGING], cwd=ROOT, check=True, capture_output=True, text=True)
    used = {Path(place).relative_to(ROOT).as_posix() for place in shown.stdout.split()}
    assert len(used) > 60 and used <= verdict_files().keys()
    checking = {
        "grader/__init__.py",
        "grader/__main__.py",
        "grader/running.py",
        "grader/checking.py",
        "grader/on_cases.py",
        "grader/closure.py",
        "grader/course.py",
        "grader/stubs.py",
    }  # ask, do not judge
    judges = {name for name in used if name.startswith("grader/") and not name.startswith("grader/sandbox/")} - checking
    assert len(judges) > 25 and judges <= check_files().keys()
