"""Task 5.10: UL 256.

It is taught in notebooks/05_mncore_ops/03_rows, section 2.
Check it with `grader check 5.10`; if you are stuck, `grader hint 5.10`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.10", "UL 256")
def ul_256(op: Op) -> Iterator[str]:
    """Take a vector of 256 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((4_L2B:2, 32:1, 2_W:1)), 64 words per PE; only copy 0 (PE 0 of MAB 0 of L1B 0 of L2B 0 of
    each group) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, elements 64g to 64g+63 in group g, 32 long words each; the address is a multiple of 64 long words. The
    64 long words from there on belong to y in every group, what comes after does not. All bits arrive unchanged.
    Par: 38 steps and 1 MV.
    """
    if op.y.shape not in ((256,), (256, 1)):
        raise UnsupportedShape("UL 256 takes a vector of 256 elements", f"shape {op.y.shape}", "pad the batch to 256")
    # TODO: about 11 lines.
    raise NotWritten("task 5.10 (UL 256) is not written yet; check it with `grader check 5.10`")
