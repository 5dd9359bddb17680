"""Task 4.22: a staircase.

It is taught in notebooks/04_memory/05_puzzles, section 4.
Check it with `grader check 4.22`; if you are stuck, `grader hint 4.22`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.22` in the notebook writes it here.

    T holds 2 * p in PE p of every MAB (three lines before yours make it). In every PE: long word c of LM1 = long
    word p + c of LM0, for c from 0 to 3. One line, one step; no other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.22 (a staircase) is not written yet; check it with `grader check 4.22`")
