"""Kernel tasks that a generator answers: who has written a program that writes a kernel need not write the kernel.

A kernel task without a file of its own counts as right but over par where generators that have passed, together with
all that they need, write every one of its rows.
"""

from __future__ import annotations

from collections.abc import Collection

from grader.points import over_par
from haribote.answers.generators import generators_of, needs_of
from haribote.answers.tasks import Task, all_tasks, find_task
from haribote.kernel_table import rows_of
from simulator.messages import tr


def credited(passed: Collection[str], started: Collection[str]) -> dict[str, str]:
    """The kernel tasks that are not started, each with the generators' task that answers it.

    passed: the tasks whose answers pass. started: those with an answer of their own, right or wrong.
    """
    whole = {task.id for task in all_tasks() if task.shared and {need.id for need in needs_of(task)} <= set(passed)}
    found = {}
    for task in all_tasks():
        if task.is_kernel and task.id not in started:
            by = [next((it for it in generators_of(row) if it in whole), "") for row in rows_of(task.id)]
            if all(by):
                found[task.id] = by[0]
    return found


def credit(task: Task) -> int:
    """The points of a kernel task that a generator answers."""
    return over_par(task.points)


def told(by: str) -> str:
    """What is said of a task that the generator of another one answers, in English."""
    return tr(
        "your generator of task {by} ({title}) writes this kernel: right, and counted as over par",
        by,
        find_task(by).title,
    )
