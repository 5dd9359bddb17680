"""The autograder: `from grader import check`, or `grader check 5.12` in a shell."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulator.messages import tr, use_also

if TYPE_CHECKING:
    from grader.checking import check
    from grader.contracts import contract
    from grader.feedback.failure import Failure
    from grader.puzzling import puzzle
    from grader.result import Result

__all__ = ["Failure", "Result", "check", "contract", "puzzle"]

_MODULES = {
    "Failure": "grader.feedback.failure",
    "Result": "grader.result",
    "check": "grader.checking",
    "contract": "grader.contracts",
    "puzzle": "grader.puzzling",
}


def _titles(into: str) -> Mapping[str, str]:
    """The titles of the tasks, which have tables of their own."""
    from grader.translations.texts import titles

    return titles(into)


use_also(_titles)


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that `grader.emitter` starts quickly and alone."""
    if name not in __all__:
        raise AttributeError(tr("module {name!r} has no attribute {name2!r}", __name__, name))
    return getattr(import_module(_MODULES[name]), name)
