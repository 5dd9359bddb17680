"""`grader catchup`: the course's answers where a learner has not begun, so that nobody has to stop for one task.

It never touches a file in which a learner has written anything. A file that it fills says so in its first lines; it
counts no points, and `submit` leaves it out. Kernels are not filled: the course's stand in for those that are missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.stubs import is_edited, stub_of
from haribote.answers.ownership import CAUGHT_UP, is_caught_up, is_written
from haribote.answers.tasks import ROOT, Task, all_tasks, find_task
from haribote.errors import HariboteError
from simulator.files import write_file
from simulator.messages import tr


@dataclass(frozen=True)
class CaughtUp:
    """Ids of tasks: filled now; left alone because they are written, or begun, or kernels that are not written."""

    filled: tuple[str, ...]
    written: tuple[str, ...]
    begun: tuple[str, ...]
    kernels: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [tr("filled with the course's answer: {value}", ", ".join(self.filled) or tr("none"))]
        if self.written:
            lines.append(tr("yours, left as they are: {written}", ", ".join(self.written)))
        if self.begun:
            lines.append(tr("begun and not finished, left as they are: {begun}", ", ".join(self.begun)))
            lines.append(
                tr("    to have the course's answer there too: grader reset TASK (it keeps a backup), then again")
            )
        if self.kernels:
            lines.append(
                tr("kernels, for which the course's stand in wherever a step runs: {kernels}", ", ".join(self.kernels))
            )
        if self.filled:
            lines.append(tr("`grader reset TASK` gives the stub again; what was filled counts no points"))
        return "\n".join(lines)


def tasks_of(wanted: Iterable[str]) -> list[Task]:
    """Tasks by id (`4.2`), notebook (`04_memory/02_first_moves`), stage (`04_memory` or `04`), in the course's order.

    Raises UnknownTask, and HariboteError for what is none of these.
    """
    found: dict[str, Task] = {}
    for name in wanted:
        if "." in name and "/" not in name:
            tasks = [find_task(name)]
        else:
            tasks = [task for task in all_tasks() if name in (task.notebook, task.stage, task.stage[:2])]
        if not tasks:
            stages = ", ".join(dict.fromkeys(task.stage for task in all_tasks()))
            raise HariboteError(
                tr("{name!r} is no task, notebook or stage with tasks", name),
                tr("a task such as 4.2, or {stages}", stages),
            )
        found |= {task.id: task for task in tasks}
    return [task for task in all_tasks() if task.id in found]


def catch_up(tasks: Iterable[Task], root: Path = ROOT) -> CaughtUp:
    """Fill the files that are stubs, byte for byte. Raises HariboteError where a task has no solution in this tree."""
    filled, written, begun, kernels = [], [], [], []
    for task in tasks:
        target = root / "haribote" / task.file
        if is_written(target):
            written += [] if is_caught_up(target) else [task.id]
        elif is_edited(task, root):
            begun.append(task.id)
        elif task.is_kernel:
            kernels.append(task.id)
        else:
            write_file(target, answer_of(task, root).encode())
            filled.append(task.id)
    return CaughtUp(tuple(filled), tuple(written), tuple(begun), tuple(kernels))


def answer_of(task: Task, root: Path = ROOT) -> str:
    """The text of a file that is filled: the solution, and a word about where it comes from."""
    path = root / "solutions" / task.file
    if not path.is_file():
        raise HariboteError(
            tr("there is no solution of task {id} in this copy of the course", task.id), tr("ask your instructor")
        )
    source = path.read_text(encoding="utf-8")
    stub_of(task, source)  # refuses a solution without its marks
    lines = [line for line in source.splitlines() if not line.strip().startswith(("### BEGIN", "### END"))]
    body = "\n".join(lines) + "\n"
    end = body.index('"""', 3) + 3
    head = tr(
        "Task {id}: {title}.\n\n{caught_up}\n`grader reset {id}` gives the stub again.\n",
        task.id,
        task.title,
        CAUGHT_UP,
    )
    return f'"""{head}"""{body[end:]}'
