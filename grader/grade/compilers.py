"""Whole compilers of a room: whoever has passed every part of the small network's, by the lines that they wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from grader.grade.coordinator import graded_as
from grader.submissions.submission import Submission
from haribote.answers.given import given
from haribote.answers.tasks import ROOT, Task, all_tasks
from haribote.own.mine import code_lines

SILVER = 1.25
"""A silver compiler has at most so many times the lines of the reference, a gold one no more than it."""


@cache
def parts() -> tuple[Task, ...]:
    """The tasks whose answers together train the small network: those of the core that a run calls, before stage 07."""
    core = (task for task in all_tasks() if task.level == "core" and task.stage < "07")
    return tuple(task for task in core if task.shared or task.product)


def own_lines(task: Task, content: bytes) -> int:
    """Lines of code of an answer that are not of its task's frame, as `haribote mine` counts them."""
    return (code_lines(content.decode("utf-8-sig", errors="replace")) - code_lines(given(task))).total()


@cache
def reference_lines() -> int:
    """The lines of the reference in the same parts."""
    return sum(own_lines(task, (ROOT / "solutions" / task.file).read_bytes()) for task in parts())


def whole_compilers(
    submissions: Sequence[Submission], passed: set[tuple[str, str]]
) -> list[tuple[int, str, Submission]]:
    """(lines, medal, submission) of everybody who has all parts, the shortest first. passed: (task, hash of an answer,
    as in `coordinator.graded_as`).
    """
    found = []
    for one in submissions:
        if all(task.id in one.files and (task.id, graded_as(one, task.id)) in passed for task in parts()):
            lines = sum(own_lines(task, one.files[task.id]) for task in parts())
            found.append((lines, _medal(lines), one))
    return sorted(found, key=lambda it: (it[0], it[2].made))


def _medal(lines: int) -> str:
    gold, silver = reference_lines(), SILVER * reference_lines()
    return "gold" if lines <= gold else "silver" if lines <= silver else ""
