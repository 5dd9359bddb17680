"""Task 4.21: turned.

It is taught in notebooks/04_memory/05_puzzles, section 4.
Check it with `grader check 4.21`; if you are stuck, `grader hint 4.21`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield two lines of assembly; `%%puzzle 4.21` in the notebook writes them here.

    In every MAB: long word c of LM1 in PE p = long word p of LM0 in PE c, for c and p from 0 to 3. Two lines, two
    steps; no other word of LM changes.
    """
    # TODO: about 2 lines.
    raise NotWritten("task 4.21 (turned) is not written yet; check it with `grader check 4.21`")
