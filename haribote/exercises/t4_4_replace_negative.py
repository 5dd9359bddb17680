"""Task 4.4: masks.

It is taught in notebooks/04_memory/04_masks_and_sums, section 4.
Check it with `grader check 4.4`; if you are stuck, `grader hint 4.4`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def replace_negative(x: int, y: int, count: int, mab: int, value: float) -> Iterator[str]:
    """In MAB `mab` of every L1B: y = x where x >= 0, and `value` where x < 0. In all other MABs y stays as it is.

    x: `count` words per PE in LM0 from word x on, single precision, other numbers in every PE; count is a multiple of
    8, at most 64. y: as many words in LM1 from word y on. x and y are multiples of 4, mab is 0 to 15. `yield` one line
    of assembly after another. Where x >= 0 its bits arrive unchanged; a zero of either sign is not negative. `value` is
    written as Python prints it: `imm f"-1.5"`. LM0 may not change, nor may LM1 except y's words in MAB `mab`.
    GRF, T and the mask register are free; what they hold at first is not known. Par: 4 + 3 * (count / 8) steps.
    """
    # TODO: about 9 lines.
    raise NotWritten("task 4.4 (masks) is not written yet; check it with `grader check 4.4`")
