"""Whose code runs: the learner's where it is written, else that of `solutions/`, and nobody's while it is checked.

Imports nothing but the list of tasks, so that any module of the package may declare a function as the answer to one.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from haribote.answers.calls import Owner, counted
from haribote.answers.tasks import ROOT, Task, find_task
from haribote.errors import HariboteError
from simulator.messages import tr
from simulator.parsing import parsed

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V")

_own_only: ContextVar[bool] = ContextVar("own_only", default=False)
_withheld: ContextVar[str] = ContextVar("withheld", default="")
_standing_in: ContextVar[tuple[str, Callable[..., Any] | None]] = ContextVar("standing_in", default=("", None))


def solutions_wanted(asked: bool | None = None) -> bool:
    """Whether the reference answers stand in for the learner's: as asked, else HARIBOTE_SOLUTIONS=1 (for notebooks)."""
    if asked is not None:
        return asked
    return os.environ.get("HARIBOTE_SOLUTIONS", "") not in ("", "0")


def exercise(task: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of the product whose body is the answer to a task.

    A call runs what the learner has written, and where they have not, inside `product_only()` and with
    HARIBOTE_SOLUTIONS=1 the answer in `solutions/`; the declared body never runs. Inside `withheld(task)` a call raises
    HariboteError.
    """

    def declare(declared: Callable[P, R]) -> Callable[P, R]:
        @wraps(declared)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_withheld(task, f"{declared.__module__}.{declared.__name__}")
            learners = _learners(task)
            owner: Owner = "yours" if learners else "product"
            result: R = counted(task, owner, learners or reference_function(task), *args, **kwargs)
            return result

        answer.__signature__ = inspect.signature(declared)  # type: ignore[attr-defined]
        return answer

    return declare


def _learners(task: str) -> Callable[..., Any] | None:
    """What the product calls in place of the course's answer."""
    checked, function = _standing_in.get()
    return function if checked == task else learners_function(task) if learners_wanted() else None


@contextmanager
def _meanwhile(variable: ContextVar[V], value: V) -> Iterator[None]:
    """Inside, the variable has this value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def standing_in(task: str, function: Callable[..., Any]) -> AbstractContextManager[None]:
    """Inside, the product calls this function for the task: the answer that is being checked."""
    return _meanwhile(_standing_in, (task, function))


def learners_wanted() -> bool:
    """Whether the product uses what the learner has written: not in a check, nor with HARIBOTE_SOLUTIONS=1."""
    return not (_own_only.get() or solutions_wanted())


def has_learners(task: str) -> bool:
    """Whether the learner's function of a task is used in place of the product's own."""
    return learners_wanted() and learners_function(task) is not None


def answer_text(task: str) -> bytes:
    """The file of the answer that `exercise(task)` runs: for keys of what is kept between runs."""
    learners, course = (answer_file(find_task(task), solutions=reference) for reference in (False, True))
    file = learners if learners_wanted() and is_written(learners) else course
    return file.read_bytes() if file.is_file() else b""  # nobody's where the answer is the one that is being checked


def refuse_withheld(task: str, name: str) -> None:
    """Raise HariboteError where the product's own answer to this task, of this name, is withheld."""
    if _withheld.get() == task:
        raise HariboteError(
            tr("{name} is the product's own answer to task {task}", name, task), tr("write yours without it")
        )


def product_only() -> AbstractContextManager[None]:
    """Inside, the product uses the course's answers: a check must not depend on the answers to other tasks."""
    return _meanwhile(_own_only, True)


def withheld(task: str) -> AbstractContextManager[None]:
    """Inside, the product's own function of this task raises HariboteError: its answer is the learner's to write."""
    return _meanwhile(_withheld, task)


def is_written(path: Path) -> bool:
    """True where a learner's file has no `raise NotWritten` left; a file with a syntax error counts as written."""
    return path.is_file() and is_written_text(path.read_bytes())


CAUGHT_UP = "This is the course's answer, written here by `grader catchup`."
"""Stands in the docstring of such a file."""


def is_caught_up(path: Path) -> bool:
    """True where a learner's file is the course's answer, so that it is nobody's work."""
    return path.is_file() and CAUGHT_UP.encode() in path.read_bytes()


def is_written_text(content: bytes) -> bool:
    """The same of a file's content, UTF-8 with or without a byte order mark."""
    return not parts_left(content)


def parts_left(content: bytes) -> list[str]:
    """The functions that still have a `raise NotWritten` of their own, as `outer` or `outer.inner`; "" outside of any.

    One that is never reached, below a `return` of the same block, does not count. None in a file that Python does not
    read.
    """
    return list(dict.fromkeys(name for name, _ in raises_left(content)))


def raises_left(content: bytes) -> list[tuple[str, int]]:
    """The same with the line of each."""
    if b"NotWritten" not in content:
        return []
    try:
        module = parsed(content.decode("utf-8-sig"))
        return list(_parts_left(module, ""))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    """The children of a node, but no statement behind one that leaves the block."""
    for _, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
            if isinstance(child, ast.Return | ast.Raise | ast.Continue | ast.Break):
                break


def _parts_left(node: ast.AST, name: str) -> Iterator[tuple[str, int]]:
    for child in _reached(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _parts_left(child, f"{name}.{child.name}".lstrip("."))
        elif isinstance(child, ast.Raise):
            raised = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            if isinstance(raised, ast.Name) and raised.id == "NotWritten":
                yield name, child.lineno
        elif not isinstance(child, ast.expr):  # no statement is in an expression
            yield from _parts_left(child, name)


def answer_file(task: Task, solutions: bool | None = None, root: Path = ROOT) -> Path:
    """The file of a task's answer: the learner's, or the reference one. solutions: None = what HARIBOTE_SOLUTIONS says.

    root: of the course's tree.
    """
    return root / ("solutions" if solutions_wanted(solutions) else "haribote") / task.file


@cache
def learners_function(task: str) -> Callable[..., Any] | None:
    """The learner's function of a task that is no kernel, or None; looked up once per process."""
    found = find_task(task)
    if not is_written(ROOT / "haribote" / found.file):
        return None
    return function_in("haribote", found)


def reference_function(task: str) -> Callable[..., Any]:
    """The course's own answer to a task that is no kernel. Raises HariboteError where it is withheld."""
    found = find_task(task)
    refuse_withheld(task, found.product.replace(":", "."))
    return _reference(found)


@cache
def _reference(task: Task) -> Callable[..., Any]:
    return function_in("solutions", task)


def function_in(package: str, task: Task) -> Callable[..., Any]:
    """The function of a task in the file of `haribote` or `solutions`. Raises HariboteError where it has none."""
    module = importlib.import_module(task.module(package))
    if not callable(getattr(module, task.name, None)):
        raise HariboteError(
            tr("{file}: has no function {name} (task {id})", module.__file__, task.name, task.id), "`grader reset TASK`"
        )
    function: Callable[..., Any] = getattr(module, task.name)
    return function
