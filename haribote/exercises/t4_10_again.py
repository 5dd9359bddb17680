"""Task 4.10: again and again.

It is taught in notebooks/00_start/01_welcome, section 1.
Check it with `grader check 4.10`; if you are stuck, `grader hint 4.10`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.10` in the notebook writes it here.

    In every PE: LM1 words 0 to 3 = LM0 words 0 to 3, and LM1 words 4 to 7 the same again. One line, one step; no
    other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.10 (again and again) is not written yet; check it with `grader check 4.10`")
