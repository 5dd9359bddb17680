"""Right answers written otherwise pass as the references do: each core task, and some others, have five and more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.checking import check
from grader.emitter.replies import Reply
from grader.running import replies_to
from grader.trials import trials_of
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import Task, all_tasks, tomllib
from tests.grader.rewritings import rewritten

FEW = ("0.1", "2.2", "4.8")
"""Tasks whose variants are quick to check."""
AS_THEY_ARE = ("3.1", "4.3", "5.36")
"""Tasks whose lines are C++, or must be left as they are given."""
WRITTEN = tomllib.loads(Path(__file__).with_name("variants.toml").read_text(encoding="utf-8"))["variant"]
TASKS = [task for task in all_tasks() if task.level == "core" or any(it["task"] == task.id for it in WRITTEN)]


def variants(task: Task) -> Iterator[tuple[str, str]]:
    """Name and text of each variant of a task's reference."""
    source = answer_file(task, solutions=True).read_text(encoding="utf-8")
    yield from rewritten(source, lines="-> Iterator[str]" in source and task.id not in AS_THEY_ARE)
    for variant in WRITTEN:
        text = source if variant["task"] == task.id else ""
        for old, new in variant["change"] if text else ():
            assert old in text, f"{variant['name']}: {old} is no longer in the reference to {task.id}"
            text = text.replace(old, new, 1)
        if text:
            yield variant["name"], text


def all_pass(task: Task, folder: Path) -> None:
    """Those that reply as the reference are as right as it is; the others are judged."""
    trials = list(trials_of(task, 5))
    known = told(replies_to(task, answer_file(task, solutions=True), trials))
    path = folder / Path(task.file).name
    for name, text in variants(task):
        path.write_text(text, encoding="utf-8")
        if told(replies_to(task, path, trials)) != known:
            result = check(task.id, path=path, seed=5, keep=False)
            assert result.passed and result.points == task.points, f"{name}: {result}\n{text}"


def told(replies: list[Reply]) -> list[tuple[str, object]]:
    return [(reply.name, reply.problem or reply.line()) for reply in replies]


@pytest.mark.parametrize("name", FEW)
def test_variants_of_some_tasks(name: str, tmp_path: Path) -> None:
    all_pass(next(task for task in TASKS if task.id == name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("task", [task for task in TASKS if task.id not in FEW], ids=lambda task: task.id)
def test_variants_of_every_core_task(task: Task, tmp_path: Path) -> None:
    all_pass(task, tmp_path)


def test_every_core_task_has_five_variants() -> None:
    few = {task.id: names for task in TASKS if len(names := [name for name, _ in variants(task)]) < 5}
    assert not few
    assert {variant["task"] for variant in WRITTEN} <= {task.id for task in all_tasks()}
