"""Task 4.9: the second words (the stride counts words)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.9` in the notebook writes it here.

    In every PE: LM1 words 0, 1, 2, 3 = LM0 words 1, 3, 5, 7. One line, one step; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "ipassa $m1v2 $n0v"
    ### END SOLUTION
