"""Task 5.31: DL 1024x16.

It is taught in notebooks/05_mncore_ops/04_products, section 4.
Check it with `grader check 5.31`; if you are stuck, `grader hint 5.31`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.31", "DL 1024x16")
def dl_1024x16(op: Op) -> Iterator[str]:
    """Bring a matrix of 1024x16 elements from DRAM to LM, 16 rows in each MAB.

    x: in DRAM, rows 256g to 256g+255 in group g, 2048 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 16:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)), 64 words per PE, in every copy: all MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 11 steps and MV together.
    """
    if op.x.shape != (1024, 16):
        raise UnsupportedShape("DL 1024x16 takes a matrix of 1024x16", f"shape {op.x.shape}", "cut it into such pieces")
    # TODO: about 7 lines.
    raise NotWritten("task 5.31 (DL 1024x16) is not written yet; check it with `grader check 5.31`")
