"""The registry of tasks over `grader/tasks.toml`: what tasks there are, and whose code answers them.

`resolve("5.12")` gives the learner's code where it is written. Where it is not: for a kernel nothing (its node then
runs on the host), for any other task the product's own function. With `solutions=True` a kernel is the reference one.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from haribote.errors import HariboteError
from haribote.kernel import Kernel
from haribote.kernel_table import KERNELS, KernelRow

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
TASKS = ROOT / "grader" / "tasks.toml"

_own_only: ContextVar[bool] = ContextVar("own_only", default=False)

P = ParamSpec("P")
R = TypeVar("R")


class UnknownTask(HariboteError):
    """There is no task of this id."""


@dataclass(frozen=True)
class Task:
    """A task of the course.

    file: of stub and solution, below `haribote/` and `solutions/`. needs: the tasks that come first. seconds: time
    limit of a check. minutes: what it should take. hints: three, of growing strength. par: for a kernel its steps and
    MV, all shapes together; for other tasks lines of code. product: the product's own function, "" for a kernel.
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

    @property
    def rows(self) -> tuple[KernelRow, ...]:
        """The rows of the kernel table that the task answers; none where it is no kernel."""
        return tuple(row for row in KERNELS if row.task == self.id)


@dataclass(frozen=True)
class Answer:
    """A kernel and whose it is: "yours" or "reference"."""

    kernel: Kernel
    owner: str


@dataclass(frozen=True)
class Function:
    """The function that answers a task of another stage, and whose it is: "yours" or "product"."""

    function: Callable[..., Any]
    owner: str


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
    if not path.is_file():
        return False
    try:
        module = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError):
        return True
    raised = (node.exc for node in ast.walk(module) if isinstance(node, ast.Raise))
    names = (exc.func if isinstance(exc, ast.Call) else exc for exc in raised)
    return not any(isinstance(name, ast.Name) and name.id == "NotWritten" for name in names)


def resolve(task: str, solutions: bool = False) -> Answer | Function | None:
    """The code that answers a task; None for a kernel that the learner has not written yet. Raises UnknownTask."""
    found = find_task(task)
    if found.rows:
        return resolve_row(found.rows[0], solutions)
    theirs = _learners_function(found.id)
    return Function(theirs, "yours") if theirs else Function(_product_function(found), "product")


def resolve_row(row: KernelRow, solutions: bool = False) -> Answer | None:
    """The kernel that serves a row of the kernel table, or None where it is not written."""
    package, owner = ("solutions", "reference") if solutions else ("haribote", "yours")
    if not is_written(ROOT / package / "kernels" / f"{row.module}.py"):
        return None
    module = importlib.import_module(f"{package}.kernels.{row.module}")
    return Answer(kernel_in(module, row.task), owner)


def kernel_in(module: ModuleType, task: str) -> Kernel:
    """The kernel of a task in a module. Raises HariboteError where it has none."""
    found = [item for item in vars(module).values() if isinstance(item, Kernel) and item.task == task]
    if not found:
        raise HariboteError(f"{module.__file__}: has no kernel of task {task}", f'@kernel("{task}", …) on it')
    return found[0]


def exercise(task: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of the product as the answer to a task: where the learner has written theirs, it is used.

    The product's own function is kept as `__wrapped__`.
    """

    def declare(own: Callable[P, R]) -> Callable[P, R]:
        @wraps(own)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            learners = None if _own_only.get() else _learners_function(task)
            return (learners or own)(*args, **kwargs)

        return answer

    return declare


@contextmanager
def product_only() -> Iterator[None]:
    """Inside, the product uses its own functions: a check must not depend on the answers to other tasks."""
    token = _own_only.set(True)
    try:
        yield
    finally:
        _own_only.reset(token)


def _product_function(task: Task) -> Callable[..., Any]:
    module, _, name = task.product.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return getattr(function, "__wrapped__", function)


@cache
def _learners_function(task: str) -> Callable[..., Any] | None:
    """The learner's function of a task that is no kernel, or None; looked up once per process."""
    found = find_task(task)
    if not is_written(ROOT / "haribote" / found.file):
        return None
    module = importlib.import_module("haribote." + found.file.removesuffix(".py").replace("/", "."))
    name = found.product.partition(":")[2]
    if not callable(getattr(module, name, None)):
        raise HariboteError(f"{module.__file__}: has no function {name} (task {task})", f"`grader reset {task}`")
    function: Callable[..., Any] = getattr(module, name)
    return function
