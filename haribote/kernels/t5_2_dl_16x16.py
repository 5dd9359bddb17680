"""Task 5.2: DL 16x16.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 5.
Check it with `grader check 5.2`; if you are stuck, `grader hint 5.2`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.2", "DL 16x16")
def dl_16x16(op: Op) -> Iterator[str]:
    """Bring a matrix of 16x16 elements from DRAM to every MAB.

    x: in DRAM, rows 4g to 4g+3 in group g, 32 long words each; the address is a multiple of 64 long words, and
    64 long words may be read.
    y: in LM0 or LM1, layout ((16:2), (2:1, 4_PE:1, 2_W:1)), 64 words per PE, in every copy: all L2B, L1B and MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 8 steps and 5 MV.
    """
    if op.x.shape != (16, 16):
        raise UnsupportedShape("DL 16x16 takes a matrix of 16x16", f"shape {op.x.shape}", "pad the matrix to 16x16")
    # TODO: about 7 lines.
    raise NotWritten("task 5.2 (DL 16x16) is not written yet; check it with `grader check 5.2`")
