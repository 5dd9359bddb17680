"""Task 4.2: first moves.

It is taught in notebooks/04_memory/02_first_moves, section 7.
Check it with `grader check 4.2`; if you are stuck, `grader hint 4.2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten


def first_moves(group: int, count: int, source: int, x: int, y: int, target: int) -> Iterator[str]:
    """Bring a vector down from DRAM to LM0, and take another one up from LM1 to DRAM, by way of L2B 0 of `group`.

    Both have `count` long words: 64, 128, 192 or 256. In LM, long word i of a vector is in PE i % 4 of a MAB, in the
    two words from 2 * (i // 4) on, counted from the vector's address. `yield` one line of assembly after another.
    Down: from long words source, source + 1, … of the DRAM of `group` to LM0, address x, in every MAB of every L1B.
    Up: from LM1, address y, in MAB 0 of L1B 0 (other units hold other numbers) to long words target, target + 1, … of
    the DRAM of `group`. All bits arrive unchanged. The two do not overlap in DRAM; nothing else may change there.
    source and target are multiples of 64, x and y of 4. Of LM only x's words may change; what they hold in other L2Bs
    does not matter, since all L2Bs do the same with what they have. L2BM, L1BM and PDM are free.
    Par: 5 + 6 * (count / 64) steps and MV: 11 for 64 long words, 29 for 256.
    """
    # TODO: about 12 lines.
    raise NotWritten("task 4.2 (first moves) is not written yet; check it with `grader check 4.2`")
