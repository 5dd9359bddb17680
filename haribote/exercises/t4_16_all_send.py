"""Task 4.16: all send.

It is taught in notebooks/04_memory/05_puzzles, section 2.
Check it with `grader check 4.16`; if you are stuck, `grader hint 4.16`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.16` in the notebook writes it here.

    In every L1B: long word 64 * c + 4 * m + p of L1BM = long word c (words 2 * c and 2 * c + 1) of LM0 in PE p of
    MAB m, for c from 0 to 3. One line, one step; neither LM nor the rest of L1BM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.16 (all send) is not written yet; check it with `grader check 4.16`")
