"""Task 4.14: the third row (a row per cycle, and a mask that keeps one)."""

from __future__ import annotations

from collections.abc import Iterator


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.14` in the notebook writes it here.

    In every MAB: LM0 words 0 to 3 of PE p = the long words 16 + p and 20 + p of L1BM. One line, one step; no other
    word of LM changes.
    """
    ### BEGIN SOLUTION
    yield "l1bmm $llb16 $llm0v/ll1000"
    ### END SOLUTION
