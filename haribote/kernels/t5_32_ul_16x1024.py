"""Task 5.32: UL 16x1024.

It is taught in notebooks/05_mncore_ops/04_products, section 4.
Check it with `grader check 5.32`; if you are stuck, `grader hint 5.32`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.32", "UL 16x1024")
def ul_16x1024(op: Op) -> Iterator[str]:
    """Take a matrix of 16x1024 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 32 words per PE; only copy 0
    (L2B 0) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 4g to 4g+3 in group g, 2048 long words each; the address is a multiple of 64 long words; nothing
    else in DRAM may change. All bits arrive unchanged.
    Par: 39 steps and 4 MV.
    """
    if op.y.shape != (16, 1024):
        raise UnsupportedShape("UL 16x1024 takes a matrix of 16x1024", f"shape {op.y.shape}", "cut it into such pieces")
    # TODO: about 8 lines.
    raise NotWritten("task 5.32 (UL 16x1024) is not written yet; check it with `grader check 5.32`")
