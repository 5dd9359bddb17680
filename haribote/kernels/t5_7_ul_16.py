"""Task 5.7: UL 16.

It is taught in notebooks/05_mncore_ops/01_down_and_up, section 2.
Check it with `grader check 5.7`; if you are stuck, `grader hint 5.7`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.7", "UL 16")
def ul_16(op: Op) -> Iterator[str]:
    """Take a vector of 16 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((2:1, 4_PE:1, 2_W:1)), 4 words per PE; only copy 0 (L2B 0, L1B 0, MAB 0) is certain to be
    there. x's address is a multiple of 4 words; LM may not change.
    y: in the DRAM of group 0, 8 long words; its address is a multiple of 64 long words. The 64 long words from there on
    belong to y in every group, what comes after does not. All bits arrive unchanged.
    Par: 5 steps and 2 MV.
    """
    if op.y.shape not in ((16,), (16, 1)):
        raise UnsupportedShape("UL 16 takes a vector of 16 elements", f"shape {op.y.shape}", "pad the vector to 16")
    # TODO: about 4 lines.
    raise NotWritten("task 5.7 (UL 16) is not written yet; check it with `grader check 5.7`")
