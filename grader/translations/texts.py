"""What a learner reads of a task, in the language of the moment."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from grader.translations.contracts import contract_of
from haribote.answers.tasks import Task, all_tasks
from simulator.language import digest, language
from simulator.messages import tr

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Texts:
    """The title, the hints and the contract of a task. of: a hash of the English texts."""

    id: str
    title: str
    hints: tuple[str, ...]
    contract: str
    of: str

    def hint(self, number: int) -> str:
        """A hint, counted from 0, below the words that say which."""
        place, count = number + 1, len(self.hints)
        return (
            tr("task {id} ({title}), hint {place} of {count}:", self.id, self.title, place, count)
            + f"\n{self.hints[number]}"
        )


def texts_of(task: Task) -> Texts:
    """A task's texts in the language of the moment; in English where they are not translated as they are now.

    Raises LanguageError.
    """
    wanted = english(task)
    found = translated(task, language())
    return found if found is not None and found.of == wanted.of else wanted


@cache
def english(task: Task) -> Texts:
    """The texts that the translations are of."""
    contract = contract_of(task)
    whole = "\n".join([task.title, *task.hints, contract])
    return Texts(task.id, task.title, task.hints, contract, digest(whole))


def translated(task: Task, into: str) -> Texts | None:
    """What the file of a language has of a task; None where it has nothing."""
    table = _tables(into, task.notebook).get(task.id)
    if table is None:
        return None
    contract = table["contract"].strip("\n")
    return Texts(task.id, table["title"], tuple(table["hints"]), contract, table["of"])


def titles(into: str) -> dict[str, str]:
    """English titles of tasks to those in a language."""
    return {task.title: found.title for task in all_tasks() if (found := translated(task, into)) is not None}


def notebooks() -> list[str]:
    """The notebooks that have tasks, in the order of the course."""
    return list(dict.fromkeys(task.notebook for task in all_tasks()))


def file_of(notebook: str, into: str) -> Path:
    """Where the translations of a notebook's tasks are."""
    return FOLDER / into / f"{notebook}.toml"


@cache
def _tables(into: str, notebook: str) -> Mapping[str, Mapping[str, Any]]:
    path = file_of(notebook, into)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
