"""A table in Markdown, and where it stands in its page."""

from __future__ import annotations

from collections.abc import Sequence

BEGIN, END = "<!-- made by `python -m docs.tables` -->\n", "<!-- end of the table -->"


def rows(head: Sequence[str], *body: Sequence[str]) -> str:
    """A table."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *body)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"


def table_in(page: str) -> str:
    """The table that a page has now."""
    return page.partition(BEGIN)[2].partition(END)[0]


def with_table(page: str, table: str) -> str:
    """The page with another table."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + table + END + rest.partition(END)[2]
