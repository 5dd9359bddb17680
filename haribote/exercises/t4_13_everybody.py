"""Task 4.13: for everybody.

It is taught in notebooks/04_memory/05_puzzles, section 2.
Check it with `grader check 4.13`; if you are stuck, `grader hint 4.13`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.13` in the notebook writes it here.

    In every L1B: LM1 words 0 to 7 of all 64 PEs = the long words 4 to 7 of its L1BM. One line, one step; no other
    word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.13 (for everybody) is not written yet; check it with `grader check 4.13`")
