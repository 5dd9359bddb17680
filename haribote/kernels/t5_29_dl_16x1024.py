"""Task 5.29: DL 16x1024.

It is taught in notebooks/05_mncore_ops/04_products, section 4.
Check it with `grader check 5.29`; if you are stuck, `grader hint 5.29`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.29", "DL 16x1024")
def dl_16x1024(op: Op) -> Iterator[str]:
    """Bring a matrix of 16x1024 elements from DRAM to every L2B, each row spread over the PEs of the L2B.

    x: in DRAM, rows 4g to 4g+3 in group g, 2048 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 32 words per PE, in every
    copy: all L2B. y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 36 steps and 5 MV.
    """
    if op.x.shape != (16, 1024):
        raise UnsupportedShape("DL 16x1024 takes a matrix of 16x1024", f"shape {op.x.shape}", "cut it into such pieces")
    # TODO: about 10 lines.
    raise NotWritten("task 5.29 (DL 16x1024) is not written yet; check it with `grader check 5.29`")
