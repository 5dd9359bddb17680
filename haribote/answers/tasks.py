"""The list of tasks, `tasks.toml`: what there is to write, where its file is, what helps and what it counts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from haribote.errors import HariboteError
from simulator.messages import Text, tr

if sys.version_info >= (3, 11):
    import tomllib as tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
TASKS = Path(__file__).with_name("tasks.toml")
LEVELS = ("core", "optional", "challenge")
"""core: the shortest way through the course; optional: more of a kind; challenge: the hard ones."""


OF_ALL = ("haribote.errors",)
"""What every answer may import of the course."""
OF_KERNELS = (*OF_ALL, "haribote.kernel", "haribote.layout")


class Merged(NamedTuple):
    """What became of a task that is no longer one of its own: the task that it is part of, and the file that it had."""

    task: str
    file: str


MERGED = {"5.17": Merged("5.18", "kernels/t5_17_sub.py")}
"""The ids that tasks had before they were merged into another one; wherever an id is taken, the old one still is."""


class UnknownTask(HariboteError):
    """There is no task of this id."""


@dataclass(frozen=True)
class Task:
    """A task of the course.

    notebook, section: where it is taught, such as "05_mncore_ops/03_rows", 3. level: one of LEVELS.
    file: of stub and solution, below `haribote/` and `solutions/`. needs: the tasks that come first. seconds: time
    limit of a check. minutes: what it should take. par: for a kernel its steps and
    MV, all shapes together; for other tasks lines of code. gold: what the reference costs, counted like par where par
    counts steps; else 0. product: where the product declares it as an exercise, `module:function`; "" for a kernel and
    for a task that the product does not need, which gives the name of its `function` instead. withhold: files that hold
    what the answer is to find out, or `file.py:name` of a function or class in one, which it must not see.
    imports: modules of the course that the answer may import beside those that every answer may. shared: other answers
    may import this one's file; it is packed and graded with them. hints: three, of growing strength; none where answers
    run.
    """

    id: str
    title: str
    notebook: str
    section: int
    level: str
    file: str
    points: int
    needs: tuple[str, ...]
    seconds: float
    minutes: int
    par: int
    gold: int = 0
    product: str = ""
    function: str = ""
    withhold: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    shared: bool = False
    hints: tuple[str, ...] = ()

    @property
    def may_import(self) -> tuple[str, ...]:
        """The modules of the course that an answer may import; anything else of it is not there for the answer."""
        return (*(OF_KERNELS if self.is_kernel else OF_ALL), *self.imports)

    @property
    def stage(self) -> str:
        """The folder of its notebook, such as "05_mncore_ops"."""
        return self.notebook.partition("/")[0]

    @property
    def theme(self) -> str:
        """The stage that its number names, where its cases are: 4.8 is of 04_memory, wherever it is taught."""
        number = f"{int(self.id.partition('.')[0]):02}_"
        return next(task.stage for task in all_tasks() if task.stage.startswith(number))

    @property
    def place(self) -> str:
        """Where it is taught, in words."""
        return tr("notebooks/{notebook}, section {section}", self.notebook, self.section)

    @property
    def name(self) -> str:
        """The name of the function that the learner's file defines; "" for a kernel."""
        return self.function or self.product.partition(":")[2]

    def module(self, package: str) -> str:
        """The module of its file in `haribote` or `solutions`."""
        return f"{package}." + self.file.removesuffix(".py").replace("/", ".")

    @property
    def is_kernel(self) -> bool:
        """Whether the task is a kernel; `kernel_table.rows_of` gives its rows of the kernel table."""
        return not self.name


def path_shown(path: Path) -> str:
    """The path as a learner knows it: from the course's folder, where it lies in there."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


@cache
def all_tasks() -> tuple[Task, ...]:
    """Every task, in the order in which the notebooks teach them."""
    tables = tomllib.loads(TASKS.read_text(encoding="utf-8"))["task"]
    return tuple(_task(table) for table in tables)


def _task(table: Mapping[str, Any]) -> Task:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return Task(**values | {"title": Text(values["title"])})


def current_id(task: str) -> str:
    """The id of a task, or of the one that it was merged into."""
    return MERGED[task].task if task in MERGED else task


def find_task(task: str) -> Task:
    """The task of this id, or the one that it was merged into. Raises UnknownTask."""
    for found in all_tasks():
        if found.id == current_id(task):
            return found
    near = get_close_matches(task, [*(known.id for known in all_tasks()), *MERGED], n=1)
    meant = tr("did you mean {near}? ", near[0]) if near else ""
    raise UnknownTask(tr("there is no task {task!r}", task), tr("{meant}`grader list` shows them all", meant))
