"""Task 4.8: two of four cycles (a digit of the mask for each cycle)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.8` in the notebook writes it here.

    In every PE: LM1 words 2 to 5 = LM0 words 2 to 5. One line, one step; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $lm0v $ln0v/0110"
    ### END SOLUTION
