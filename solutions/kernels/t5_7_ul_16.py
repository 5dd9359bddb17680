"""Task 5.7: UL of a vector of 16: one row of long words climbs from MAB 0 to the L2BM and to one group's DRAM."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    ### BEGIN SOLUTION
    # With $llb PE p's two long words go to places p and 4+p: the vector in order (the same in all four cycles).
    yield f"l1bmm@0 {op.x.double(stride=0)} $llb0"
    yield "nop/2"
    # l2bmd reads 8 long words per cycle where l2bm@0 reads 16, so it may follow one step sooner; L1B 0's go to $lc0.
    yield "l2bmd $lb0 $lc0"
    yield f"mvp/n64 $lc0@0.0 {op.y.dram()}@0"
    ### END SOLUTION
