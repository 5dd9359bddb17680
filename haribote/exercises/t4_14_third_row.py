"""Task 4.14: the third row.

It is taught in notebooks/04_memory/05_puzzles, section 2.
Check it with `grader check 4.14`; if you are stuck, `grader hint 4.14`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.14` in the notebook writes it here.

    In every MAB: LM0 words 0 to 3 of PE p = the long words 16 + p and 20 + p of L1BM. One line, one step; no other
    word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.14 (the third row) is not written yet; check it with `grader check 4.14`")
