"""The list of tasks agrees with the notebooks: where each is taught, and in which order."""

from __future__ import annotations

import re

import pytest

from grader.listing import hours
from haribote.answers.resolve import resolve, resolve_row
from haribote.answers.tasks import LEVELS, MERGED, ROOT, Task, all_tasks, find_task
from haribote.chip.codegen import run_kernel
from haribote.kernel_table import problem, rows_of
from simulator import assemble


def sections(notebook: str) -> dict[int, str]:
    """The text of each numbered section of a notebook's source."""
    text = (ROOT / "notebooks" / "source" / f"{notebook}.md").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^## (?:(\d+)\. )?", text)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True) if number}


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_its_section_checks_it(task: Task) -> None:
    found = sections(task.notebook)[task.section]
    assert f'"{task.id}"' in found and ("check(" in found or f'puzzle("{task.id}")' in found), found[:200]


def test_the_order_is_that_of_the_notebooks_and_no_task_needs_a_later_one() -> None:
    places = [(task.notebook, task.section) for task in all_tasks()]
    assert places == sorted(places)
    known: set[str] = set()
    for task in all_tasks():
        assert known.issuperset(task.needs), task.id
        known.add(task.id)


def test_the_core_can_be_done_alone() -> None:
    core = [task for task in all_tasks() if task.level == "core"]
    assert {need for task in core for need in task.needs} <= {task.id for task in core}
    assert {task.level for task in all_tasks()} == set(LEVELS)


@pytest.mark.parametrize("notebook", sorted({task.notebook for task in all_tasks() if task.stage == "05_mncore_ops"}))
def test_a_notebook_of_kernels_opens_with_its_tasks_and_what_they_take(notebook: str) -> None:
    """`**Core** (1 h 35 min): 5.14 (25 minutes), 5.15 (20) … Optional: … Challenge: …`, in the order of the tasks.

    Without a core task it says `Nothing here is core`.
    """
    text = (ROOT / "notebooks" / "source" / f"{notebook}.md").read_text(encoding="utf-8")
    (opening,) = (line for line in text.split("\n")[:4] if "**Core**" in line or "Nothing here is core" in line)
    tasks = [task for task in all_tasks() if task.notebook == notebook]
    minutes = sum(task.minutes for task in tasks if task.level == "core")
    assert (f"**Core** ({hours(minutes)}): " if minutes else "Nothing here is core") in opening
    for level in LEVELS:
        told = re.search(rf"{level.capitalize()}(?:\*\* \([^)]*\))?: ([^:]*)\.", opening)
        listed = re.findall(r"(5\.\d+) \((\d+)", told[1]) if told else []
        assert listed == [(task.id, str(task.minutes)) for task in tasks if task.level == level], level


def test_a_section_without_a_core_task_in_a_core_notebook_says_so() -> None:
    for notebook in sorted({task.notebook for task in all_tasks() if task.stage == "05_mncore_ops"}):
        opening = (ROOT / "notebooks" / "source" / f"{notebook}.md").read_text(encoding="utf-8").split("\n\n")[1]
        for number, part in sections(notebook).items():
            levels = {task.level for task in all_tasks() if (task.notebook, task.section) == (notebook, number)}
            if levels and "core" not in levels and "Nothing here is core" not in opening:
                assert re.search(r"(?m)^\*(Optional|A challenge)", part), number


@pytest.mark.parametrize("old", MERGED)
def test_the_id_of_a_merged_task_finds_what_answers_for_it_now(old: str) -> None:
    merged = MERGED[old]
    assert find_task(old) is find_task(merged.task) and old not in {task.id for task in all_tasks()}
    assert not (ROOT / "solutions" / merged.file).exists() and not (ROOT / "haribote" / merged.file).exists()
    answer = resolve(old, solutions=True)
    assert answer is not None and answer == resolve(merged.task, solutions=True)


@pytest.mark.parametrize("task", [task for task in all_tasks() if task.is_kernel], ids=lambda task: task.id)
def test_gold_is_what_the_reference_costs(task: Task) -> None:
    cost = 0
    for row in rows_of(task.id):
        answer = resolve_row(row, solutions=True)
        assert answer is not None
        program = assemble("\n".join(run_kernel(answer.kernel, problem(row))))
        cost += program.steps + program.moves
    assert task.gold == cost <= task.par
