"""Task 5.33: Gemm x·Wᵀ, 1024 columns.

It is taught in notebooks/05_mncore_ops/04_products, section 5.
Check it with `grader check 5.33`; if you are stuck, `grader hint 5.33`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.33", "Gemm x·Wᵀ, 1024 columns")
def gemm_xwt_1024(op: Op) -> Iterator[str]:
    """y[r][i] = sum over k of x[r][k] * W[i][k].

    x: in LM0 or LM1, 256x1024 in ((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)).
    W: in LM0 or LM1, 16x1024 in ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)). So every MAB has 8 of the
    columns k, of 32 rows of x and of all rows of W. Addresses are multiples of 4 words. LM may not change.
    y: in DRAM, 256x16, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words;
    nothing else in DRAM may change.
    The matrix unit multiplies pseudo-singles of 18 bits (gm…); how singles are split is the kernel's choice.
    Accuracy: integers are exact while sums of |x*W| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |x*W| + 1024 * 2^-32 * max|x| * max|W|.
    Par: 121 steps and 2 MV.
    """
    x, w = op.inputs
    if x.shape != (256, 1024) or w.shape != (16, 1024):
        raise UnsupportedShape("takes 256x1024 and 16x1024", f"{x.shape} and {w.shape}", "pad to 1024 columns")
    # TODO: about 27 lines.
    raise NotWritten("task 5.33 (Gemm x·Wᵀ, 1024 columns) is not written yet; check it with `grader check 5.33`")
