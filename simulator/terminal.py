"""What a terminal adds to plain text: colours, by the part that a line plays, and tables as wide as it is.

Only a stream that is a terminal gets any of it: in pipes and files the text is what it is. Which colours a terminal
has, and whether its user wants any (NO_COLOR, TERM=dumb), rich knows, which is loaded only where there is a terminal.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Collection, Sequence
from io import StringIO
from typing import TextIO

ROLES = {"good": "green", "bad": "red", "cause": "bold yellow", "next": "cyan", "faint": "dim"}
"""What a line may be, and how it looks."""
MARKS = {"✓": "good", "✗": "bad"}
_MARK = re.compile("|".join(MARKS))


class RoleLine(str):
    """A text and its role, one of ROLES; "" for an ordinary one, in which only the MARKS have colours."""

    role: str

    def __new__(cls, text: str, role: str = "") -> RoleLine:
        """The text as it is."""
        line = str.__new__(cls, text)
        line.role = role
        return line


def painted(text: str, role: str = "", stream: TextIO | None = None) -> str:
    """The text as a stream shows it, by default the standard output: each line in the colour of its role."""
    stream = sys.stdout if stream is None else stream
    if not text or not (role or _MARK.search(text)) or not _has_colours(stream):
        return text
    if role:
        return "\n".join(_styled(line, ROLES[role]) for line in text.split("\n"))
    return _MARK.sub(lambda mark: _styled(mark[0], ROLES[MARKS[mark[0]]]), text)


def room() -> int:
    """How many columns the terminal has to which the standard output goes; 0 where it goes elsewhere."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream goes to a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # it is closed
        return False


def folded(rows: Sequence[Sequence[str]], width: int, rights: Collection[int] = ()) -> list[str]:
    """Rows of cells as lines of at most so many columns: what is too long for its column goes on below itself.

    rights: columns that are to the right. Columns of short cells keep their width.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(zip(*rows, strict=True)):
        keep = max(map(len, column)) <= _SHORT
        table.add_column(justify="right" if number in rights else "left", no_wrap=keep, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    sheet = StringIO()
    Console(file=sheet, width=width, color_system=None, legacy_windows=False, emoji=False).print(table)
    return [line.rstrip() for line in sheet.getvalue().splitlines()]


_SHORT = 9
"""Characters of a cell that is not broken."""


def _has_colours(stream: TextIO) -> bool:
    if not is_terminal(stream):
        return False
    from rich.console import Console

    console = Console(file=stream, force_jupyter=False)
    return console.color_system is not None and not console.no_color and not console.legacy_windows


def _styled(text: str, style: str) -> str:
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)
