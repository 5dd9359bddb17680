"""Task 4.15: a deal (eight long words for each L1B in turn)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.15` in the notebook writes it here.

    In every L2B: of the 256 long words from 256 on of L2BM, the first 8 go to L1B 0, the next 8 to L1B 1, and so
    on, round after round; they lie from long word 32 on of each L1BM. One line, one step; L1BM changes nowhere
    else.
    """
    ### BEGIN SOLUTION
    yield "l2bmd $lc256 $lb32"
    ### END SOLUTION
