"""Task 4.10: again and again (an address for each cycle)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.10` in the notebook writes it here.

    In every PE: LM1 words 0 to 3 = LM0 words 0 to 3, and LM1 words 4 to 7 the same again. One line, one step; no
    other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $lm[0,2,0,2] $ln0v"
    ### END SOLUTION
