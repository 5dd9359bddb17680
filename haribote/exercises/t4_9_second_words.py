"""Task 4.9: the second words.

It is taught in notebooks/00_start/01_welcome, section 1.
Check it with `grader check 4.9`; if you are stuck, `grader hint 4.9`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.9` in the notebook writes it here.

    In every PE: LM1 words 0, 1, 2, 3 = LM0 words 1, 3, 5, 7. One line, one step; no other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.9 (the second words) is not written yet; check it with `grader check 4.9`")
