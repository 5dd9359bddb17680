"""Task 4.20: only PE 2 (a flag from the number of the PE)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.20` in the notebook writes them here.

    T holds the number 2 in every word (the line `imm i"2" $t` and a nop stand before yours). In PE 2 of every MAB:
    LM1 words 0 to 7 = LM0 words 0 to 7; all other PEs change nothing. Two lines, two steps.
    """
    ### BEGIN SOLUTION
    yield "ixor $subpeid $t $omr1"
    yield "lpassa $lm0v $ln0v/$imr1"
    ### END SOLUTION
