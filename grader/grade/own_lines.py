"""A learner's own lines, as a report shows them beside the picture of the error."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import escape

from simulator.messages import tr
from simulator.parsing import readable

MOST_LINES = 60
AROUND = 14  # lines before and after the one that is to blame


def own_lines(content: bytes, failure: str, file: str) -> str:
    """The body of the answer as HTML, numbered, with the line that the failure names marked; "" for an empty file.

    content: of the answer's file, whatever it is. failure: the text of what is wrong. file: as that text names it.
    """
    lines = content.decode("utf-8-sig", "replace").splitlines()
    named = re.search(rf"{re.escape(file)}:(\d+)", failure)
    blamed = int(named[1]) if named else 0
    first = _after_contract(content)
    end = min(len(lines), first + MOST_LINES)
    if blamed:
        first, end = max(min(first, blamed - 1), blamed - 1 - AROUND), min(len(lines), blamed + AROUND)
    return "\n".join(_numbered(lines, first, end, blamed))


def _numbered(lines: list[str], first: int, end: int, blamed: int) -> Iterator[str]:
    for number in range(first + 1, end + 1):
        text = f"{number:>4}  {escape(lines[number - 1][:200])}"
        yield f"<mark>{text}</mark>" if number == blamed else text
    if end < len(lines):
        yield tr("      … {value} more lines", len(lines) - end)


def _after_contract(content: bytes) -> int:
    """How many lines stand before the body of the first documented function; 0 where there is none."""
    for node in ast.walk(readable(content)):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            return node.body[0].end_lineno or 0
    return 0
