"""Plain answers of the large tasks: right, and what is left of them in the stubs is the whole but for the holes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.checking import check
from grader.stubs import stub_of
from haribote.answers.given import PLAIN, source_of
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task

TASKS = [task for task in all_tasks() if (ROOT / "solutions" / PLAIN / task.file.rpartition("/")[2]).is_file()]


def test_the_five_products_have_one_and_every_file_is_a_tasks() -> None:
    assert [task.id for task in TASKS] == ["5.19", "5.20", "5.28", "5.33", "5.34"]
    assert len(list((ROOT / "solutions" / PLAIN).glob("t*.py"))) == len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_stub_keeps_all_but_the_holes_and_a_hole_is_a_few_lines(task: Task) -> None:
    source = source_of(task)
    holes = re.findall(r"(?ms)^ *### BEGIN HOLE\n(.*?)^ *### END HOLE\n", source)
    stub = stub_of(task, source)
    assert 3 <= len(holes) == stub.count("raise NotWritten") and max(hole.count("\n") for hole in holes) <= 8
    body = source[source.index("@kernel") :]
    for hole in holes:
        body = body.replace(hole, "")
    kept = [line for line in body.split("\n") if "### " not in line]
    assert set(kept) <= set(stub.split("\n"))
    lines = [line.strip() for hole in holes for line in hole.split("\n") if "yield" in line and "nop" not in line]
    assert not [line for line in lines if line in stub]


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_plain_answer_is_right(task: Task) -> None:
    result = check(task.id, path=ROOT / "solutions" / PLAIN / task.file.rpartition("/")[2], seed=7)
    assert result.passed and result.points >= 0.8 * task.points, str(result)


def test_a_check_says_which_parts_of_a_skeleton_are_left(tmp_path: Path) -> None:
    task = TASKS[0]
    path, stub = tmp_path / "answer.py", stub_of(task, source_of(task))
    path.write_text(stub, encoding="utf-8")
    assert check(task.id, path=path).message.endswith("still to write in it: `vectors`, `matrix`, `product`")
    begun = stub.replace("        raise NotWritten", "        yield ''\n        return  #", 1)
    path.write_text(begun, encoding="utf-8")
    result = check(task.id, path=path)
    assert result.state == "not started" and result.message.endswith("in it: `matrix`, `product`")
    path.write_text(stub_of(find_task("5.12"), source_of(find_task("5.12"))), encoding="utf-8")
    assert "still" not in check("5.12", path=path).message


def test_the_skeleton_of_the_first_product_leads_to_all_points() -> None:
    result = check("5.19", path=ROOT / "solutions" / PLAIN / "t5_19_gemm_xwt.py", seed=8)
    assert (result.points, result.of) == (25, 25), str(result)
