"""Task 5.9: UL 256x16 A.

It is taught in notebooks/05_mncore_ops/01_down_and_up, section 4.
Check it with `grader check 5.9`; if you are stuck, `grader hint 5.9`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.9", "UL 256x16 A")
def ul_256x16_a(op: Op) -> Iterator[str]:
    """Take a matrix of 256x16 elements, layout A, from LM to DRAM.

    x: in LM0 or LM1, layout ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)), 16 words per PE; only copy 0 (MAB 0) is
    certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words; nothing
    else in DRAM may change. All bits arrive unchanged.
    Par: 4 steps and 2 MV.
    """
    if op.y.shape != (256, 16):
        raise UnsupportedShape("UL 256x16 takes a matrix of 256x16", f"shape {op.y.shape}", "pad the batch to 256")
    # TODO: about 5 lines.
    raise NotWritten("task 5.9 (UL 256x16 A) is not written yet; check it with `grader check 5.9`")
