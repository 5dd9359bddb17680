"""The registry of tasks over `haribote/answers/tasks.toml`: what tasks there are, and whose code answers them.

`resolve("5.12")` gives the learner's code where it is written. Where it is not: for a kernel nothing (its node then
runs on the host), for a task that the product does not need nothing, for any other the product's own function. With
`solutions=True`, or HARIBOTE_SOLUTIONS=1 in the environment, it gives the reference answer.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from haribote.answers.ownership import exercise, own_function, product_only, solutions_wanted, withheld
from haribote.errors import HariboteError
from haribote.kernel import Kernel
from haribote.kernel_table import KERNELS, KernelRow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "grader" / "tasks.toml"

__all__ = [
    "ROOT", "Answer", "Function", "Task", "UnknownTask", "all_tasks", "answer_file", "exercise", "find_task",
    "is_written", "is_written_text", "kernel_in", "product_only", "resolve", "resolve_row", "solutions_wanted",
    "withheld",
]  # fmt: skip


class UnknownTask(HariboteError):
    """There is no task of this id."""


@dataclass(frozen=True)
class Task:
    """A task of the course.

    file: of stub and solution, below `haribote/` and `solutions/`. needs: the tasks that come first. seconds: time
    limit of a check. minutes: what it should take. hints: three, of growing strength. par: for a kernel its steps and
    MV, all shapes together; for other tasks lines of code. product: the product's own function, `module:function`, ""
    for a kernel and for a task that the product does not need, which gives the name of its `function` instead.
    withhold: files that hold the product's own answer, or `file.py:name` of a function or class in one, which an answer
    must not see while the task is checked.
    """

    id: str
    title: str
    stage: str
    file: str
    points: int
    needs: tuple[str, ...]
    seconds: float
    minutes: int
    hints: tuple[str, ...]
    par: int
    product: str = ""
    function: str = ""
    withhold: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the function that the learner's file defines; "" for a kernel."""
        return self.function or self.product.partition(":")[2]

    @property
    def rows(self) -> tuple[KernelRow, ...]:
        """The rows of the kernel table that the task answers; none where it is no kernel."""
        return tuple(row for row in KERNELS if row.task == self.id)


@dataclass(frozen=True)
class Answer:
    """A kernel and whose it is."""

    kernel: Kernel
    owner: Literal["yours", "reference"]


@dataclass(frozen=True)
class Function:
    """The function that answers a task of another stage, and whose it is."""

    function: Callable[..., Any]
    owner: Literal["yours", "reference", "product"]


@cache
def all_tasks() -> tuple[Task, ...]:
    """Every task, in the order of the course."""
    tables = tomllib.loads(TASKS.read_text(encoding="utf-8"))["task"]
    return tuple(_task(table) for table in tables)


def _task(table: Mapping[str, Any]) -> Task:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return Task(**values)


def find_task(task: str) -> Task:
    """The task of this id. Raises UnknownTask."""
    for found in all_tasks():
        if found.id == task:
            return found
    raise UnknownTask(f"there is no task {task!r}", "`grader list` to see them all")


def is_written(path: Path) -> bool:
    """True where a learner's file has no `raise NotWritten` left; a file with a syntax error counts as written."""
    return path.is_file() and is_written_text(path.read_bytes())


def is_written_text(content: bytes) -> bool:
    """The same of a file's content, UTF-8 with or without a byte order mark."""
    try:
        module = ast.parse(content.decode("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    raised = (node.exc for node in ast.walk(module) if isinstance(node, ast.Raise))
    names = (exc.func if isinstance(exc, ast.Call) else exc for exc in raised)
    return not any(isinstance(name, ast.Name) and name.id == "NotWritten" for name in names)


def answer_file(task: Task, solutions: bool | None = None, root: Path = ROOT) -> Path:
    """The file of a task's answer: the learner's, or the reference one. solutions: None = what HARIBOTE_SOLUTIONS says.

    root: of the course's tree.
    """
    solutions = solutions_wanted() if solutions is None else solutions
    return root / ("solutions" if solutions else "haribote") / task.file


def resolve(task: str, solutions: bool | None = None) -> Answer | Function | None:
    """The code that answers a task, or None where the learner has not written it yet and the product has none.

    solutions: the reference answers; None = what HARIBOTE_SOLUTIONS says. Raises UnknownTask.
    """
    found = find_task(task)
    if found.rows:
        return resolve_row(found.rows[0], solutions)
    if solutions_wanted() if solutions is None else solutions:
        return Function(_function_in("solutions", found), "reference")
    theirs = _learners_function(found.id)
    if theirs:
        return Function(theirs, "yours")
    return Function(_product_function(found), "product") if found.product else None


def resolve_row(row: KernelRow, solutions: bool | None = None) -> Answer | None:
    """The kernel that serves a row of the kernel table, or None where it is not written; solutions as in `resolve`."""
    solutions = solutions_wanted() if solutions is None else solutions
    package: Literal["solutions", "haribote"] = "solutions" if solutions else "haribote"
    if not is_written(ROOT / package / "kernels" / f"{row.module}.py"):
        return None
    module = importlib.import_module(f"{package}.kernels.{row.module}")
    return Answer(kernel_in(module, row.task), "reference" if solutions else "yours")


def kernel_in(module: ModuleType, task: str) -> Kernel:
    """The kernel of a task in a module. Raises HariboteError where it has none."""
    found = [item for item in vars(module).values() if isinstance(item, Kernel) and item.task == task]
    if not found:
        raise HariboteError(f"{module.__file__}: has no kernel of task {task}", f'@kernel("{task}", …) on it')
    return found[0]


def _product_function(task: Task) -> Callable[..., Any]:
    importlib.import_module(task.product.partition(":")[0])
    return own_function(task.id)


@cache
def _learners_function(task: str) -> Callable[..., Any] | None:
    """The learner's function of a task that is no kernel, or None; looked up once per process."""
    found = find_task(task)
    if not is_written(ROOT / "haribote" / found.file):
        return None
    return _function_in("haribote", found)


def _function_in(package: str, task: Task) -> Callable[..., Any]:
    """The function of a task in the file of `haribote` or `solutions`. Raises HariboteError where it has none."""
    module = importlib.import_module(f"{package}." + task.file.removesuffix(".py").replace("/", "."))
    if not callable(getattr(module, task.name, None)):
        raise HariboteError(f"{module.__file__}: has no function {task.name} (task {task.id})", "`grader reset TASK`")
    function: Callable[..., Any] = getattr(module, task.name)
    return function
