"""Task 4.17: two numbers, one memory.

It is taught in notebooks/04_memory/05_puzzles, section 3.
Check it with `grader check 4.17`; if you are stuck, `grader hint 4.17`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.17` in the notebook writes them here.

    In every PE: LM1 words 0 to 7 = LM0 words 0 to 7 + LM0 words 8 to 15, in single precision. Two lines, two steps;
    no other word of LM changes.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 4.17 (two numbers, one memory) is not written yet; check it with `grader check 4.17`")
