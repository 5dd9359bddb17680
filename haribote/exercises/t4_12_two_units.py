"""Task 4.12: two units at once.

It is taught in notebooks/04_memory/05_puzzles, section 1.
Check it with `grader check 4.12`; if you are stuck, `grader hint 4.12`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.12` in the notebook writes it here.

    In every PE: LM1 words 0 to 7 = x + x in single precision and GRF1 words 0 to 7 = x, where x is LM0 words 0 to
    7. One line, one step; no other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.12 (two units at once) is not written yet; check it with `grader check 4.12`")
