"""What is said of a notebook with a submission."""

from __future__ import annotations

import pytest

from grader.grade.notebooks import line_of
from grader.sandbox import Outcome
from haribote.answers.tasks import ROOT, find_task
from tests.grader.sandboxes import sandboxed


def test_lines_about_notebooks() -> None:
    def said(output: str, status: int | None = 1, stopped: str = "") -> str:
        return line_of(Outcome(output.encode(), "no module", status, stopped))

    cells = "notebooks/01.ipynb::Cell 0 PASSED\nnotebooks/01.ipynb::Cell 1 "
    assert said(cells + "XFAIL", 0) == "ran"
    assert said(cells + "FAILED\nTimeout of 60 s") == "failed at cell 1: it took longer than 60 s"
    assert said(cells + "FAILED") == "failed at cell 1"
    assert said(cells + "PASSED", None, "ran longer than 300 s") == "failed after cell 1: ran longer than 300 s"
    assert said("", 4) == "did not start (status 4): no module"


@sandboxed
@pytest.mark.slow
def test_a_notebook_with_a_submission() -> None:
    from grader.grade.notebooks import Lesson, notebook_names, run
    from grader.submissions.submission import Submission

    task = find_task("1.2")
    good = (ROOT / "solutions" / task.file).read_bytes()
    assert "01_graphs/02_evaluate" in notebook_names()
    broken = run(Lesson(Submission("ada", "", {"1.2": b"raise SystemExit\n"}), "01_graphs/02_evaluate"))
    assert line_of(run(Lesson(Submission("ada", "", {"1.2": good}), "01_graphs/02_evaluate"))) == "ran"
    assert line_of(broken).startswith("failed at cell"), line_of(broken)
