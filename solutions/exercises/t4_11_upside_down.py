"""Task 4.11: upside down (four words per cycle, in any order)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.11` in the notebook writes it here.

    In every PE: rows of 4 words, the first row last: LM1 words 0 to 3 = LM0 words 12 to 15, and so on. One line,
    one step; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $llm[12,8,4,0] $lln0v"
    ### END SOLUTION
