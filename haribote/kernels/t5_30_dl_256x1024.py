"""Task 5.30: DL 256x1024.

It is taught in notebooks/05_mncore_ops/04_products, section 4.
Check it with `grader check 5.30`; if you are stuck, `grader hint 5.30`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.30", "DL 256x1024")
def dl_256x1024(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x1024 elements from DRAM to LM, 32 rows per L2B, each row spread over the PEs of the L2B.

    x: in DRAM, rows 64g to 64g+63 in group g, 32768 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 64 words per PE; no copies.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 72 steps and 2 MV.
    """
    if op.x.shape != (256, 1024):
        raise UnsupportedShape("DL 256x1024 takes just that matrix", f"shape {op.x.shape}", "cut it into such pieces")
    # TODO: about 9 lines.
    raise NotWritten("task 5.30 (DL 256x1024) is not written yet; check it with `grader check 5.30`")
