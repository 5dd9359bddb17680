"""Task 4.17: two numbers, one memory (one operand comes from the ALU's exit)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.17` in the notebook writes them here.

    In every PE: LM1 words 0 to 7 = LM0 words 0 to 7 + LM0 words 8 to 15, in single precision. Two lines, two steps;
    no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $lm8v $nowrite"
    yield "fvadd $lm0v $aluf $ln0v"
    ### END SOLUTION
