"""Python's own parser of Python, for one thread at a time.

Python 3.11 counts in one place for all threads how deep a tree is while it is made of objects and objects are made of
it; where another thread gets its turn in between (a callback of the garbage collector is enough, such as those of
`distributed`), the count is wrong and SystemError is raised: "AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
import os
import threading
from types import CodeType

_one_at_a_time = threading.RLock()
if hasattr(os, "register_at_fork"):  # a forked process is not to begin while another thread is in the parser
    _release = _one_at_a_time.release
    os.register_at_fork(before=_one_at_a_time.acquire, after_in_parent=_release, after_in_child=_release)


def parsed(source: str | bytes) -> ast.Module:
    """The tree of a module. Raises what `ast.parse` does."""
    with _one_at_a_time:
        return ast.parse(source)


def readable(content: bytes) -> ast.Module:
    """The tree of a file that anybody may have written; an empty one where Python does not read it."""
    try:
        return parsed(content.decode("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def parsed_expression(text: str) -> ast.expr:
    """The tree of an expression."""
    with _one_at_a_time:
        return ast.parse(text, mode="eval").body


def compiled_expression(expression: ast.expr, name: str) -> CodeType:
    """The code of the tree of an expression. name: of what it stands in, for errors."""
    with _one_at_a_time:
        return compile(ast.Expression(expression), name, "eval")
