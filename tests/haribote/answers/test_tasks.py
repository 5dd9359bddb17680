"""The list of tasks agrees with the notebooks: where each is taught, and in which order."""

from __future__ import annotations

import re

import pytest

from haribote.answers.tasks import LEVELS, ROOT, Task, all_tasks


def sections(notebook: str) -> dict[int, str]:
    """The text of each numbered section of a notebook's source."""
    text = (ROOT / "notebooks" / "source" / f"{notebook}.md").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^## (?:(\d+)\. )?", text)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True) if number}


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: task.id)
def test_its_section_checks_it(task: Task) -> None:
    found = sections(task.notebook)[task.section]
    assert f'"{task.id}"' in found and "check(" in found, found[:200]


def test_the_order_is_that_of_the_notebooks_and_no_task_needs_a_later_one() -> None:
    places = [(task.notebook, task.section) for task in all_tasks()]
    assert places == sorted(places)
    known: set[str] = set()
    for task in all_tasks():
        assert known.issuperset(task.needs), task.id
        known.add(task.id)


def test_the_core_can_be_done_alone_and_is_short() -> None:
    core = [task for task in all_tasks() if task.level == "core"]
    assert {need for task in core for need in task.needs} <= {task.id for task in core}
    kernels = [task for task in core if task.stage == "05_mncore_ops"]
    assert 11 <= len(kernels) <= 13 and 6 <= sum(task.minutes for task in kernels) / 60 <= 7.25
    assert {task.level for task in all_tasks()} == set(LEVELS)
