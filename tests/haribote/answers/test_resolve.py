"""Which function the product takes for an answer."""

from __future__ import annotations

import pytest

from haribote.answers import ownership
from haribote.answers.resolve import Function, resolve
from haribote.answers.tasks import Task, all_tasks

EXERCISES = [task for task in all_tasks() if not task.is_kernel]


@pytest.mark.parametrize("task", [task for task in EXERCISES if not task.product], ids=lambda task: task.id)
def test_a_task_that_the_product_does_not_need(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "learners_function", lambda name: None)
    assert task.name and resolve(task.id, False) is None
    reference = resolve(task.id, True)
    assert isinstance(reference, Function) and reference.owner == "reference"
