"""Task 4.13: for everybody (the same long word in every PE, another one in each cycle)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.13` in the notebook writes it here.

    In every L1B: LM1 words 0 to 7 of all 64 PEs = the long words 4 to 7 of its L1BM. One line, one step; no other
    word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "l1bmp $lb4 $ln0v"
    ### END SOLUTION
