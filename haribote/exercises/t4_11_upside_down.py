"""Task 4.11: upside down.

It is taught in notebooks/04_memory/05_puzzles, section 1.
Check it with `grader check 4.11`; if you are stuck, `grader hint 4.11`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.11` in the notebook writes it here.

    In every PE: rows of 4 words, the first row last: LM1 words 0 to 3 = LM0 words 12 to 15, and so on. One line,
    one step; no other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.11 (upside down) is not written yet; check it with `grader check 4.11`")
