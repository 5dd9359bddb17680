"""Task 5.11: UL 256x16 P.

It is taught in notebooks/05_mncore_ops/03_rows, section 1.
Check it with `grader check 5.11`; if you are stuck, `grader hint 5.11`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.11", "UL 256x16 P")
def ul_256x16_p(op: Op) -> Iterator[str]:
    """Take a matrix of 256x16 elements, layout P (64 whole rows in a MAB), from LM to DRAM.

    x: in LM0 or LM1, layout ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1)), 256 words per PE; only copy 0 (MAB 0 of L1B 0 of
    L2B 0 of each group) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words; nothing
    else in DRAM may change. All bits arrive unchanged.
    Par: 26 steps and 1 MV.
    """
    if op.y.shape != (256, 16):
        raise UnsupportedShape("UL 256x16 takes a matrix of 256x16", f"shape {op.y.shape}", "pad the batch to 256")
    # TODO: about 6 lines.
    raise NotWritten("task 5.11 (UL 256x16 P) is not written yet; check it with `grader check 5.11`")
