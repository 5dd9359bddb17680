"""Task 5.28: Gemm gᵀ·x.

It is taught in notebooks/05_mncore_ops/04_products, section 3.
Check it with `grader check 5.28`; if you are stuck, `grader hint 5.28`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.28", "Gemm gᵀ·x")
def gemm_gtx(op: Op) -> Iterator[str]:
    """y[i][j] = sum over r of g[r][i] * x[r][j].

    g, x: in LM0, 256x16 in layout A, ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)); addresses are multiples of
    4 words. 64 words of LM0 after the operands and `op.scratch` may be used; no other word of LM may change.
    y: in DRAM, 16x16, rows 4n to 4n+3 in group n, 32 long words each; the address is a multiple of 64 long words; the
    first 64 long words from there belong to y in every group.
    How to multiply is the kernel's choice: in double precision (dm…), in pseudo-singles of 18 bits (gm…) that are
    split, or with ordinary singles (fv…).
    Accuracy: integers are exact while sums of |g*x| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |g*x| + 256 * 2^-32 * max|g| * max|x|.
    Par: 80 steps and 5 MV.
    """
    g, x = op.inputs
    if (g.shape, x.shape) != ((256, 16), (256, 16)):
        raise UnsupportedShape("gᵀ·x takes 256x16 twice", f"{g.shape} and {x.shape}", "pad to 256 rows, 16 columns")
    # TODO: about 24 lines.
    raise NotWritten("task 5.28 (Gemm gᵀ·x) is not written yet; check it with `grader check 5.28`")
