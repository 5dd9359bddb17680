"""Text in columns of a terminal, where a full-width character takes two."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from simulator.terminal import folded, room

WIDE = "WF"
"""East Asian widths of characters that take two columns."""


DECEIVING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it, except line ends and tabs, and what turns the direction of writing."""


def visible(text: str) -> str:
    r"""A text that may hold names out of a file, with `\x1b` for what a terminal would obey instead of showing it."""
    return DECEIVING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def columns(text: str) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    taken = (0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in WIDE else 1 for c in text)
    return sum(taken)


def full(text: str) -> int:
    """How many of its characters are full-width."""
    return 0 if text.isascii() else sum(unicodedata.east_asian_width(c) in WIDE for c in text)


def left(text: str, width: int) -> str:
    """The text at the left of so many columns."""
    return text + " " * (width - columns(text))


def right(text: str, width: int) -> str:
    """The text at the right of so many columns."""
    return " " * (width - columns(text)) + text


def aligned(rows: Sequence[Sequence[str]], numbers: bool = False, rights: Collection[int] = ()) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell. numbers: all but the first to the right; rights:
    these columns.

    Where they are wider than the terminal that they are for, cells go on below themselves.
    """
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    rights = range(1, len(widths)) if numbers else rights
    if 0 < room() < sum(widths) + 2 * (len(widths) - 1):
        return folded(rows, room(), rights)
    return [
        "  ".join(
            right(cell, width) if number in rights else left(cell, width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
