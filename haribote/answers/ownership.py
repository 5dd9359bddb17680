"""Whose code runs: the product's own function, the learner's where it is written, and nobody's while it is checked.

Imports nothing but errors, so that any module of the package may declare a function as the answer to a task.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from haribote.errors import HariboteError

P = ParamSpec("P")
R = TypeVar("R")

_own_only: ContextVar[bool] = ContextVar("own_only", default=False)
_withheld: ContextVar[str] = ContextVar("withheld", default="")
_own: dict[str, Callable[..., Any]] = {}


def solutions_wanted() -> bool:
    """Whether the reference answers stand in for the learner's: HARIBOTE_SOLUTIONS=1, as when notebooks are built."""
    return os.environ.get("HARIBOTE_SOLUTIONS", "") not in ("", "0")


def exercise(task: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a function of the product as the answer to a task: where the learner has written theirs, it is used.

    The product's own is used inside `product_only()` and with HARIBOTE_SOLUTIONS=1; inside `withheld(task)` a call of
    it raises HariboteError.
    """

    def declare(own: Callable[P, R]) -> Callable[P, R]:
        @wraps(own)
        def answer(*args: P.args, **kwargs: P.kwargs) -> R:
            refuse_withheld(task, own)
            if not _own_only.get() and not solutions_wanted():
                from haribote.answers.ownership import _learners_function

                learners = _learners_function(task)
                if learners:
                    result: R = learners(*args, **kwargs)
                    return result
            return own(*args, **kwargs)

        answer.__signature__ = inspect.signature(own)  # type: ignore[attr-defined]
        del answer.__wrapped__  # it would be a way round `withheld`
        _own[task] = own
        return answer

    return declare


def own_function(task: str) -> Callable[..., Any]:
    """The product's own function of a task; its module must have been imported. Raises HariboteError if withheld."""
    refuse_withheld(task, _own[task])
    return _own[task]


def refuse_withheld(task: str, own: Callable[..., Any]) -> None:
    """Raise HariboteError where the product's own answer to this task is withheld."""
    if _withheld.get() == task:
        name = f"{own.__module__}.{own.__name__}"
        raise HariboteError(f"{name} is the product's own answer to task {task}", "write yours without it")


@contextmanager
def product_only() -> Iterator[None]:
    """Inside, the product uses its own functions: a check must not depend on the answers to other tasks."""
    token = _own_only.set(True)
    try:
        yield
    finally:
        _own_only.reset(token)


@contextmanager
def withheld(task: str) -> Iterator[None]:
    """Inside, the product's own function of this task raises HariboteError: its answer is the learner's to write."""
    token = _withheld.set(task)
    try:
        yield
    finally:
        _withheld.reset(token)
