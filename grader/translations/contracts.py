"""The contract of a task: what the comments in its stub promise and demand."""

from __future__ import annotations

import ast
import inspect

from grader.stubs import source_of, stub_of
from haribote.answers.tasks import Task


def contract_of(task: Task) -> str:
    """The English contract: the descriptions of the functions that the stub has, one after another."""
    tree = ast.parse(stub_of(task, source_of(task)))
    found = (ast.get_docstring(node) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return "\n\n".join(inspect.cleandoc(text) for text in found if text)
