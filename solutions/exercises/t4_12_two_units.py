"""Task 4.12: two units at once (the ALU copies while the MAU adds)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.12` in the notebook writes it here.

    In every PE: LM1 words 0 to 7 = x + x in single precision and GRF1 words 0 to 7 = x, where x is LM0 words 0 to
    7. One line, one step; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "fvadd $lm0v $lm0v $ln0v ; lpassa $lm0v $ls0v"
    ### END SOLUTION
