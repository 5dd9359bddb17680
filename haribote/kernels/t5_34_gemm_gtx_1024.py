"""Task 5.34: Gemm gᵀ·x, 1024 columns.

It is taught in notebooks/05_mncore_ops/04_products, section 5.
Check it with `grader check 5.34`; if you are stuck, `grader hint 5.34`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.34", "Gemm gᵀ·x, 1024 columns")
def gemm_gtx_1024(op: Op) -> Iterator[str]:
    """y[i][k] = sum over r of g[r][i] * x[r][k].

    g: 256x16 in layout B, ((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1)).
    x: 256x1024 in ((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)). So every MAB has 32 rows r of both,
    all columns of g, and 8 of the columns of x. Both in LM0, or both in LM1; addresses are multiples of 4 words.
    128 words of the other LM after the operands and `op.scratch` may be used; no other word of LM may change.
    y: in DRAM, 16x1024, rows 4n to 4n+3 in group n, 2048 long words each; the address is a multiple of 64 long words;
    nothing else in DRAM may change.
    The matrix unit multiplies pseudo-singles of 18 bits (gm…), in blocks along r (gmread transposes); how singles are
    split is the kernel's choice.
    Accuracy: integers are exact while sums of |g*x| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |g*x| + 256 * 2^-32 * max|g| * max|x|.
    Par: 135 steps and 5 MV.
    """
    g, x = op.inputs
    if (g.shape, x.shape) != ((256, 16), (256, 1024)):
        raise UnsupportedShape("takes 256x16 and 256x1024", f"{g.shape} and {x.shape}", "pad to 1024 columns")
    if g.memory != x.memory:
        raise UnsupportedShape("takes both inputs from one LM", f"{g.memory} and {x.memory}", "move one of them")
    # TODO: about 33 lines.
    raise NotWritten("task 5.34 (Gemm gᵀ·x, 1024 columns) is not written yet; check it with `grader check 5.34`")
