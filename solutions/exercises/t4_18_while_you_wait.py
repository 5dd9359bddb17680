"""Task 4.18: while you wait (work is as good as a nop)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.18` in the notebook writes them here.

    Your two lines stand between `l1bmm $lb0 $lm0v` and `fvadd $lm0v $lm0v $ln0v`, which has to wait two steps for
    LM0. Use one of them: in every PE, LM1 words 8 to 15 = GRF1 words 0 to 7. Two steps; no other word of LM
    changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $ls0v $ln8v"
    yield "nop"
    ### END SOLUTION
