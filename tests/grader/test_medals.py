"""Medals: between par and the reference, for right answers alone, and never worth a point."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.listing import counts, listing
from grader.medals import medal_line, medal_of, silver_at
from grader.progress import Progress
from grader.result import Cost, Result
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task

TASK = replace(find_task("5.22"), par=160, gold=23)
SHAPES = replace(find_task("5.15"), par=45, gold=19)


@pytest.mark.parametrize(
    ("score", "medal"),
    [(161, ""), (160, "par"), (92, "par"), (91, "silver"), (24, "silver"), (23, "gold"), (20, "gold")],
)
def test_silver_begins_half_of_the_way_from_par_to_gold(score: int, medal: str) -> None:
    assert medal_of(TASK, [(score, 160)]) == medal
    assert silver_at(TASK) == 91


def test_one_shape_over_par_is_no_medal_however_short_the_others_are() -> None:
    assert medal_of(SHAPES, [(3, 6), (9, 24), (5, 12), (2, 3)]) == "gold"
    assert medal_of(SHAPES, [(3, 6), (9, 24), (1, 12), (4, 3)]) == ""


def test_tasks_that_are_not_counted_in_steps_have_none() -> None:
    assert medal_of(replace(TASK, gold=0), [(1, 160)]) == "" == medal_line(replace(TASK, gold=0), [(1, 160)])
    assert all(task.gold <= task.par for task in all_tasks())


def result(task: Task, score: int, state: str = "passed") -> Result:
    cost = (Cost(task.title, score, task.par),)
    return Result(task.id, task.title, state, task.points, task.points, "f", "", costs=cost)  # type: ignore[arg-type]


def test_the_card_of_a_right_answer_shows_the_medal_and_what_gold_is_a_wrong_one_neither() -> None:
    relu, mul = find_task("5.12"), find_task("5.14")
    assert "medal: gold, as short as the reference" in str(result(relu, 2))
    assert "medal: par; gold is 3 steps and MV, the reference's cost" in str(result(mul, 4))
    assert "no medal yet; par is 4" in str(result(mul, 5))
    assert "gold" not in str(result(mul, 3, "failed")) and result(mul, 3, "failed").medal == ""
    assert "medal: par; silver is 91, gold is 23 steps" in medal_line(TASK, [(160, 160)])
    assert "2 shorter than the reference" in medal_line(TASK, [(21, 160)])


def test_the_list_shows_medals_until_the_answer_changes(tmp_path: Path) -> None:
    task = find_task("5.12")
    answer = tmp_path / "haribote" / task.file
    answer.parent.mkdir(parents=True)
    answer.write_bytes((ROOT / "solutions" / task.file).read_bytes())
    Progress(tmp_path).record(result(task, 2))
    progress = Progress(tmp_path)
    core = [task for task in all_tasks() if task.level == "core"]
    assert counts(progress).startswith(f"core 1 of {len(core)}, ") and counts(progress).endswith("; medals: 1 gold")
    (line,) = (line for line in listing(progress).split("\n") if line.startswith("  ✓ 5.12"))
    assert line.endswith("gold")
    answer.write_text("# another\n")
    assert "gold" not in counts(Progress(tmp_path))
