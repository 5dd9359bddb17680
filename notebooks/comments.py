"""Comments in the cells of translated notebooks: from the catalogue `haribote`, where they have a context of their own.

The code of a translated notebook is that of the English one; its comments are for people, and are in their language.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from simulator.messages import texts
from simulator.page_texts import END_OF_CONTEXT

COMMENT = "comment"
"""The context of comments in a catalogue: short as they are, no other message may be taken for one."""
LOCALE = Path(__file__).parent.parent / "haribote" / "locale"
ASSEMBLY = ("%%vsm", "%%puzzle")
"""Cells of assembly."""
_OF_ASSEMBLY = re.compile(r"(?<=# ).*\S")
_WORD = re.compile(r"(?<![\w$.`])[a-z]{2,}(?![\w(=])")


class Comment(NamedTuple):
    """A comment without its sign: line of the cell, from 0; column at which the text begins."""

    line: int
    column: int
    text: str


def comments(cell: str) -> Iterator[Comment]:
    """The comments of a code cell that have words, in their order: of Python, or of assembly."""
    lines = cell.splitlines()
    if cell.startswith(ASSEMBLY):
        found = [Comment(n, m.start(), m[0]) for n, line in enumerate(lines) if (m := _OF_ASSEMBLY.search(line))]
    elif cell.startswith(("%%", "!")):
        found = []
    else:
        tokens = tokenize.generate_tokens(io.StringIO(cell).readline)
        found = [
            Comment(token.start[0] - 1, token.start[1] + 2, token.string[2:])
            for token in tokens
            if token.type == tokenize.COMMENT and token.string.startswith("# ")
        ]
    return (comment for comment in found if _WORD.search(comment.text))


def in_language(cell: str, into: str) -> str:
    """A code cell with its comments in a language; one without a translation stays as it is."""
    lines = cell.splitlines()
    for comment in comments(cell) if into != "en" else ():
        said = _known(into).get(f"{COMMENT}{END_OF_CONTEXT}{comment.text}", comment.text)
        lines[comment.line] = lines[comment.line][: comment.column] + said
    return "\n".join(lines)


@cache
def _known(into: str) -> dict[str, str]:
    return texts("haribote", LOCALE, into)
