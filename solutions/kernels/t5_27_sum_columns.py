"""Task 5.27: the sum over the rows of a 256x16 matrix: each level of the tree adds what lies below it."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.27", "ReduceSum columns")
def sum_columns(op: Op) -> Iterator[str]:
    """y[j] = sum over i of x[i][j].

    x: in LM0 or LM1, 256x16 in layout A, ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)); its address is a multiple of
    4 words. Only MAB 0 needs to hold it. LM may not change.
    y: in DRAM, 16 elements at the start of group 0; the address is a multiple of 64 long words; the first 64 long words
    from there belong to y in every group.
    Accuracy: |y - exact| <= 2^-18 * sum of |x|. Par: 11 steps and 1 MV.
    """
    if op.x.shape != (256, 16):
        raise UnsupportedShape("the sum of columns takes a matrix of 256x16", f"shape {op.x.shape}", "pad the batch")
    ### BEGIN SOLUTION
    # Accuracy reached: |y - exact| <= 8 * 2^-24 * sum of |x|.
    # In each PE the 4 rows of its L1B; cycle c adds long word c%2, so cycles 2 and 3 repeat what 0 and 1 do.
    rows = [op.x.flat("l", [4 * row, 4 * row + 2] * 2) for row in range(4)]
    yield f"fvpassa {rows[0]} $nowrite"
    for row in rows[1:]:
        yield f"fvadd {row} $mauf $nowrite"
    yield "l1bmm@0 $mauf $lb0"
    yield "nop/3"
    # Then the 8 L1B of an L2B, and at last the 8 L2B. DRAM of group 0 receives the first 16 of each 64 long words, the
    # other groups the rest, which mean nothing.
    yield "l2bmrffadd $lb0 $lc0"
    yield f"mvrffadd/n64 $lc0 {op.y.dram()}"
    ### END SOLUTION
