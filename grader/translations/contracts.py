"""The contract of a task: what the comments in its stub promise and demand."""

from __future__ import annotations

import ast
import inspect

from grader.stubs import stub_of
from haribote.answers.given import source_of
from haribote.answers.tasks import Task


def contract_of(task: Task) -> str:
    """The English contract: the descriptions of the functions that the stub has, one after another."""
    return "\n\n".join(text for _, text in described(stub_of(task, source_of(task))))


def described(stub: str) -> list[tuple[ast.FunctionDef | ast.ClassDef, str]]:
    """The functions and classes of a stub that have a description, and it without its indentation."""
    found = [node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [(node, inspect.cleandoc(text)) for node in found if (text := ast.get_docstring(node))]
