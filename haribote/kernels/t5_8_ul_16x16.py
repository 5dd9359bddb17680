"""Task 5.8: UL 16x16.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 5.
Check it with `grader check 5.8`; if you are stuck, `grader hint 5.8`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.8", "UL 16x16")
def ul_16x16(op: Op) -> Iterator[str]:
    """Take a matrix of 16x16 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((16:2), (2:1, 4_PE:1, 2_W:1)), 64 words per PE; only copy 0 (L2B 0, L1B 0, MAB 0) is
    certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 4g to 4g+3 in group g, 32 long words each; the address is a multiple of 64 long words. The 64 long
    words from there on belong to y in every group, what comes after does not. All bits arrive unchanged.
    Par: 10 steps and 4 MV.
    """
    if op.y.shape != (16, 16):
        raise UnsupportedShape("UL 16x16 takes a matrix of 16x16", f"shape {op.y.shape}", "pad the matrix to 16x16")
    # TODO: about 8 lines.
    raise NotWritten("task 5.8 (UL 16x16) is not written yet; check it with `grader check 5.8`")
