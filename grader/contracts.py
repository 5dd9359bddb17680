"""`contract("5.3")` in a notebook, `grader contract 5.3` in a shell: what a task demands, in the reader's language."""

from __future__ import annotations

import html
from dataclasses import dataclass

from grader.translations import texts_of
from haribote.answers.tasks import find_task


@dataclass(frozen=True)
class Contract:
    """The contract of a task as text, and as HTML in a notebook. file: where it stands in English, and binds."""

    task: str
    title: str
    text: str
    file: str

    def __str__(self) -> str:
        return f"{self.task} ({self.title})\n\n{self.text}\n\n{self.file}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, text, file = (html.escape(part) for part in (f"{self.task} {self.title}", self.text, self.file))
        style = "white-space: pre-wrap; word-break: normal; max-width: 75ch"  # JupyterLab would break words
        return f"<p><b>{head}</b></p><pre style='{style}'>{text}</pre><p>{file}</p>"


def contract(task: str) -> Contract:
    """The contract of a task, such as "5.3". Raises UnknownTask, LanguageError."""
    found = find_task(task)
    texts = texts_of(found)
    return Contract(found.id, texts.title, texts.contract, f"haribote/{found.file}")
