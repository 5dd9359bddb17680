"""Task 5.8: UL of a 16x16 matrix: rows leave MAB 0 in the order in which one MV deals them out to the four groups."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.8", "UL 16x16")
def ul_16x16(op: Op) -> Iterator[str]:
    """Take a matrix of 16x16 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((16:2), (2:1, 4_PE:1, 2_W:1)), 64 words per PE; only copy 0 (L2B 0, L1B 0, MAB 0) is
    certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 4g to 4g+3 in group g, 32 long words each; the address is a multiple of 64 long words. The 64 long
    words from there on belong to y in every group, what comes after does not. All bits arrive unchanged.
    Par: 10 steps and 4 MV.
    """
    if op.y.shape != (16, 16):
        raise UnsupportedShape("UL 16x16 takes a matrix of 16x16", f"shape {op.y.shape}", "pad the matrix to 16x16")
    ### BEGIN SOLUTION
    # mvd deals a PDM out to the four groups in one MV, 16 long words (two rows) to each group in turn. So the rows must
    # lie there in the order 0 1, 4 5, 8 9, 12 13, then 2 3, 6 7, 10 11, 14 15.
    order = [4 * group + pair + row for pair in (0, 2) for group in range(4) for row in (0, 1)]
    # One row of 8 long words per cycle (4 words per PE and row).
    for at in range(0, 16, 4):
        yield f"l1bmm@0 {op.x.flat('ll', [4 * row for row in order[at : at + 4]])} $llb{8 * at}"
    # 3 steps must pass between an l1bmm and the l2bm@0 that takes the second half of its 64 long words.
    yield "l2bm@0 $lb0 $lc0"
    yield "nop"
    yield "l2bm@0 $lb64 $lc64"
    yield "mvp/n128 $lc0@0.0 $p0@0"
    yield f"mvd/n128 $p0@0 {op.y.dram()}"
    ### END SOLUTION
