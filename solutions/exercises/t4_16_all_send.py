"""Task 4.16: all send (64 PEs side by side in L1BM)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.16` in the notebook writes it here.

    In every L1B: long word 64 * c + 4 * m + p of L1BM = long word c (words 2 * c and 2 * c + 1) of LM0 in PE p of
    MAB m, for c from 0 to 3. One line, one step; neither LM nor the rest of L1BM changes.
    """
    ### BEGIN SOLUTION
    yield "l1bmd $lm0v $lb0"
    ### END SOLUTION
