"""Task 4.22: a staircase (T is added to the address)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.22` in the notebook writes it here.

    T holds 2 * p in PE p of every MAB (three lines before yours make it). In every PE: long word c of LM1 = long
    word p + c of LM0, for c from 0 to 3. One line, one step; no other word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "lpassa $lmt0v $ln0v"
    ### END SOLUTION
