"""A class by task, and a learner's lines in the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grader.grade.coordinator import not_started
from grader.grade.own_lines import MOST_LINES, own_lines
from grader.grade.page import as_page
from grader.grade.report import report_of
from grader.grade.task_table import OTHER, by_task
from grader.grade.work import Work
from haribote.answers.tasks import find_task
from tests.grader.grade.runs import graded, learner, say_passed, threads

KERNEL = b'''@kernel("5.12", "Relu")
def relu(op):
    """The contract,

    of some lines."""
    x = op.x
    yield "<b>"
'''


def verdict(state: str, **more: Any) -> dict[str, Any]:
    return not_started(find_task("5.12")) | {"state": state, **more}


def test_a_task_has_its_rate_its_medals_and_its_commonest_cause() -> None:
    class_ = [verdict("passed", medal="gold"), verdict("passed", medal="par"), verdict("not started")]
    class_ += [verdict("failed", cause=cause) for cause in ("wrong rows", "", "wrong rows")] + [verdict("not graded")]
    (found,) = (one for one in by_task([{"5.12": one} for one in class_]) if one.handed)
    assert (found.task.id, found.handed, found.passed, found.rate) == ("5.12", 5, 2, 0.4)
    assert found.commonest == "wrong rows (2 of 3)" and found.medals_told == "1 gold, 1 par"
    (other,) = (one for one in by_task([{"5.12": verdict("failed", cause="")}]) if one.handed)
    assert other.commonest == f"{OTHER} (1 of 1)"


def test_the_lines_begin_after_the_contract_and_the_one_to_blame_is_marked() -> None:
    assert own_lines(KERNEL, "", "t.py") == '   6      x = op.x\n   7      yield "&lt;b&gt;"'.replace('"', "&quot;")
    assert (
        own_lines(KERNEL, "haribote/kernels/t.py:6: too early", "t.py").split("\n")[0]
        == "<mark>   6      x = op.x</mark>"
    )
    assert own_lines(KERNEL, "", "t.py") == own_lines(KERNEL, "other.py:6", "t.py")
    assert own_lines(b"", "t.py:1", "t.py") == "" and "\ufffd" in own_lines(b"\xff\x00", "", "t.py")
    assert own_lines(KERNEL, "t.py:2: bad", "t.py").startswith("<mark>   2  def")


def test_long_answers_are_cut_around_the_line_to_blame() -> None:
    long = KERNEL + b'    yield "nop"\n' * 200
    shown = own_lines(long, "", "t.py").split("\n")
    assert len(shown) == MOST_LINES + 1 and shown[-1].endswith(f"{200 + 2 - MOST_LINES} more lines")
    around = own_lines(long, "t.py:100: bad", "t.py").split("\n")
    assert "<mark>" in around[14] and len(around) == 30


def test_the_page_has_the_table_the_lines_and_the_stages(tmp_path: Path) -> None:
    class_ = [learner("ada", t5_12=KERNEL.decode()), learner("bob", t5_12="right")]

    def grade(work: Work) -> dict[str, Any]:
        wrong = {
            "state": "failed",
            "points": 0,
            "cause": "wrong rows",
            "failure": "haribote/kernels/t5_12_relu.py:7: no",
        }
        return say_passed(work) | (wrong if work.submission.startswith("ada") else {"medal": "gold"})

    page = as_page(report_of(class_, graded(tmp_path, class_, threads(), grade), 1))
    assert "wrong rows (1 of 1)" in page and "50 %" in page and "1 gold" in page and "passed, gold" in page
    assert "<mark>   7      yield &quot;&lt;b&gt;&quot;</mark>" in page and ">05_mncore_ops</th>" in page
    assert "position: sticky; top: 0" in page and "<script" not in page
