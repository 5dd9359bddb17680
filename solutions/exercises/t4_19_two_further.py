"""Task 4.19: two PEs further (the ring of the four PEs)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.19` in the notebook writes them here.

    In every MAB: LM1 words 0 to 7 of PE p = LM0 words 0 to 7 of PE (p + 2) % 4. Two lines, two steps; no other word
    of LM changes.
    """
    ### BEGIN SOLUTION
    yield "msl $lm0v $nowrite"
    yield "msl $aluf $ln0v"
    ### END SOLUTION
