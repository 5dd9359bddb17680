"""Task 5.2: DL of a 16x16 matrix: the four groups' parts are woven together in a PDM, then broadcast to every PE."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    ### BEGIN SOLUTION
    # mvd gathers all four groups in one MV. It takes 16 long words, two rows, from each group in turn, so that the rows
    # come to lie in the order 0 1, 4 5, 8 9, 12 13, then 2 3, 6 7, 10 11, 14 15.
    order = [4 * group + pair + row for pair in (0, 2) for group in range(4) for row in (0, 1)]
    yield f"mvd/n128 {op.x.dram()} $p0@0"
    yield "mvb/n128 $p0@0 $lc0"
    yield "l2bmb $lc0 $lb0"
    yield "l2bmb $lc64 $lb64"
    # One row of 8 long words per cycle; the flat address list puts each where it belongs (4 words per PE and row).
    for at in range(0, 16, 4):
        yield f"l1bmm $llb{8 * at} {op.y.flat('ll', [4 * row for row in order[at : at + 4]])}"
    ### END SOLUTION
