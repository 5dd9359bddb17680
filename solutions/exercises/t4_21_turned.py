"""Task 4.21: turned (rows in, columns out)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.21` in the notebook writes them here.

    In every MAB: long word c of LM1 in PE p = long word p of LM0 in PE c, for c and p from 0 to 3. Two lines, two
    steps; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "dmwrite $lm0v $lx0"
    yield "dmread $lx0 $ln0v"
    ### END SOLUTION
