"""Task 4.18: while you wait.

It is taught in notebooks/04_memory/05_puzzles, section 3.
Check it with `grader check 4.18`; if you are stuck, `grader hint 4.18`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.18` in the notebook writes them here.

    Your two lines stand between `l1bmm $lb0 $lm0v` and `fvadd $lm0v $lm0v $ln0v`, which has to wait two steps for
    LM0. Use one of them: in every PE, LM1 words 8 to 15 = GRF1 words 0 to 7. Two steps; no other word of LM
    changes.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 4.18 (while you wait) is not written yet; check it with `grader check 4.18`")
