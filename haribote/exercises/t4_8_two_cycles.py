"""Task 4.8: two of four cycles.

It is taught in notebooks/00_start/01_welcome, section 1.
Check it with `grader check 4.8`; if you are stuck, `grader hint 4.8`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def lines() -> Iterator[str]:
    """Yield one line of assembly; `%%puzzle 4.8` in the notebook writes it here.

    In every PE: LM1 words 2 to 5 = LM0 words 2 to 5. One line, one step; no other word of LM changes.
    """
    # TODO: one line.
    raise NotWritten("task 4.8 (two of four cycles) is not written yet; check it with `grader check 4.8`")
