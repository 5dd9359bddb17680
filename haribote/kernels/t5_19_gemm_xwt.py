"""Task 5.19: Gemm x·Wᵀ.

It is taught in notebooks/05_mncore_ops/04_products, section 3.
Check it with `grader check 5.19`; if you are stuck, `grader hint 5.19`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.19", "Gemm x·Wᵀ")
def gemm_xwt(op: Op) -> Iterator[str]:
    """y[r][i] = sum over k of x[r][k] * W[i][k].

    x: in LM0, 256x16 in layout A, ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)).
    W: in LM0, 16x16 in ((16:2), (2:1, 4_PE:1, 2_W:1)).
    y: in LM0 or LM1, layout A, in every copy. Addresses are multiples of 4 words. 16 words of LM0 after the operands
    and `op.scratch` may be used; no other word of LM may change.
    How to multiply is the kernel's choice: in double precision (dm…), in pseudo-singles of 18 bits (gm…) that are
    split, or with ordinary singles (fv…).
    Accuracy: integers are exact while sums of |x*W| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |x*W| + 16 * 2^-32 * max|x| * max|W|.
    Par: 24 steps.
    """
    x, w = op.inputs
    if (x.shape, w.shape) != ((256, 16), (16, 16)):
        raise UnsupportedShape("x·Wᵀ takes 256x16 and 16x16", f"{x.shape} and {w.shape}", "pad to 256 rows, 16 columns")
    # TODO: about 23 lines.
    raise NotWritten("task 5.19 (Gemm x·Wᵀ) is not written yet; check it with `grader check 5.19`")
