"""One answer graded, once everything is warm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.grading import complete
from grader.grade.work import Work, grade_one
from tests.grader.grade.runs import TASKS
from tests.grader.sandboxes import sandboxed


@pytest.mark.slow
@sandboxed
def test_an_answer_in_less_than_a_second(tmp_path: Path) -> None:
    """The whole way of one answer once everything is warm; a hundred distinct full submissions are 5,400 of these."""
    source = complete(TASKS[1])
    spent = []
    for number in range(4):
        work = Work("", "", "5.12", f"{source}# {number} {os.getpid()}\n".encode(), 2012, _version())
        verdict = grade_one(work)
        assert verdict["state"] == "passed" and not verdict["cached"]
        spent.append(verdict["seconds"])
    assert min(spent) < 1
    assert grade_one(work)["cached"]


def _version() -> str:
    from grader.course import verdict_hash

    return verdict_hash()
