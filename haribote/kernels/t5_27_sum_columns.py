"""Task 5.27: ReduceSum columns.

It is taught in notebooks/05_mncore_ops/04_products, section 1.
Check it with `grader check 5.27`; if you are stuck, `grader hint 5.27`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
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
    # TODO: about 8 lines.
    raise NotWritten("task 5.27 (ReduceSum columns) is not written yet; check it with `grader check 5.27`")
