"""Task 4.5: PE-to-PE sum.

It is taught in notebooks/04_memory/04_masks_and_sums, section 7.
Check it with `grader check 4.5`; if you are stuck, `grader hint 4.5`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def sum_pes(x: int, y: int, count: int) -> Iterator[str]:
    """In every L1B: word w of y, in each of its 64 PEs, is the sum of word w of x over these 64 PEs.

    x: `count` words per PE in LM0 from word x on, single precision, other numbers in every PE; count is 8, 16, 24 or
    32. y: as many words in LM1 from word y on, in all 64 PEs. x and y are multiples of 4. `yield` one line of assembly
    after another. Accuracy: |y - exact sum| <= 2^-18 * sum of |x|; the order of the additions is yours.
    LM0 may not change, nor may LM1 except y's words. L1BM, GRF and T are free; what they hold at first is not known.
    Par: 2 + 7 * (count / 8) steps.
    """
    # TODO: about 10 lines.
    raise NotWritten("task 4.5 (PE-to-PE sum) is not written yet; check it with `grader check 4.5`")
