"""The last case of small answers: the product runs with the answer in place of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader import check
from grader.emitter.in_product import RUNS
from haribote.answers.tasks import ROOT, find_task


@pytest.mark.some(4)
@pytest.mark.parametrize("task", sorted(RUNS))
def test_the_product_runs_with_the_answer(task: str) -> None:
    result = check(task, path=ROOT / "solutions" / find_task(task).file)
    assert result.passed and result.points == find_task(task).points


def test_an_answer_that_fails_in_the_product_fails(tmp_path: Path) -> None:
    """Right in all other cases, which have fewer rows."""
    text = (ROOT / "solutions" / find_task("0.1").file).read_text(encoding="utf-8")
    path = tmp_path / "answer.py"
    path.write_text(text.replace("return ", "return 0.5 if len(labels) > 1000 else "), encoding="utf-8")
    result = check("0.1", path=path)
    assert result.state == "failed" and result.failure and result.failure.case == "in the product"


def test_the_judge_needs_no_pytorch() -> None:
    """A class is judged by processes of limited memory."""
    code = "from grader.emitter.in_product import RUNS; from grader.trials.in_product import _expected; import sys\n"
    code += "[_expected(task) for task in RUNS]; assert 'torch' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
