"""Answers that are not run: of a task that is not started, or whose function still says that it is not written."""

from __future__ import annotations

from pathlib import Path

from grader.feedback.failure import Failure
from grader.result import Result
from grader.stubs import left_over
from haribote.answers.ownership import is_written_text, parts_left
from haribote.answers.tasks import Task, path_shown
from simulator.errors import advised
from simulator.messages import tr


def unfinished(task: Task, content: bytes, path: Path, seed: int) -> Result | None:
    """The verdict on a file that still has a `raise NotWritten`, without running it; None where it has none."""
    if is_written_text(content):
        return None
    lines = left_over(task, content)
    if not lines:
        inner = [name.rpartition(".")[2] for name in parts_left(content) if "." in name]
        left = tr("; still to write in it: {value}", ", ".join(f"`{name}`" for name in inner)) if inner else ""
        message = unwritten(task, path) + left
        return Result(task.id, task.title, "not started", 0, task.points, path_shown(path), message, seed=seed)
    what = tr("`raise NotWritten` of the stub still stands among lines of yours, so this counts as not finished")
    text = advised(what, tr("delete that line once the function is complete"))
    failure = Failure(tr("reading the file"), "", text, f"{path_shown(path)}:{lines[0]}")
    return Result(task.id, task.title, "failed", 0, task.points, path_shown(path), "", seed=seed, failure=failure)


def unwritten(task: Task, path: Path) -> str:
    """What to do about a task that is not started."""
    return tr("write it in {path}; {place} teaches it", path_shown(path), task.place)
