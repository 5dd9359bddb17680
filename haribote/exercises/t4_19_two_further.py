"""Task 4.19: two PEs further.

It is taught in notebooks/04_memory/05_puzzles, section 4.
Check it with `grader check 4.19`; if you are stuck, `grader hint 4.19`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.19` in the notebook writes them here.

    In every MAB: LM1 words 0 to 7 of PE p = LM0 words 0 to 7 of PE (p + 2) % 4. Two lines, two steps; no other word
    of LM changes.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 4.19 (two PEs further) is not written yet; check it with `grader check 4.19`")
