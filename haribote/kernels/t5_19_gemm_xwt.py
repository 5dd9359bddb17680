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
    # Word k of the four PEs is a vector of four columns, and so is word i of the result. W has 4x4 blocks (i, k) of 4x4
    # numbers, one for each MAB: MAB m does i = m/4 and k = m%4. What differs from MAB to MAB is read by T, which is
    # added to an address: `by_t(x.word(0, 4))` is word T of each of the four rows of x.
    partial = op.scratch(16, "LM0")

    def by_t(words: str) -> str:
        """The same words, T further on: `$m4v4` becomes `$mt4v4`."""
        return words.replace("m", "mt", 1)

    def vectors() -> Iterator[str]:
        """With T = k: word k of the four rows of x, one row per cycle, as block floats of double precision: to
        `$lr0v`.
        """
        # TODO: about 2 lines.
        raise NotWritten("task 5.19 (Gemm x·Wᵀ) is not written yet; check it with `grader check 5.19`")

    def matrix() -> Iterator[str]:
        """The MAB's block to `$lx`. With T = 32h + 4w + k, i = 2h + w: its row j is word T of row 2j of W."""
        # TODO: about 3 lines.
        raise NotWritten("task 5.19 (Gemm x·Wᵀ) is not written yet; check it with `grader check 5.19`")

    def product() -> Iterator[str]:
        """With T = i: `$lx` times the four vectors, narrowed to singles, in word T of each row of `partial`."""
        # TODO: about 2 lines.
        raise NotWritten("task 5.19 (Gemm x·Wᵀ) is not written yet; check it with `grader check 5.19`")

    yield 'imm i"3" $nowrite'
    yield "land $mabid $aluf $lt"  # T = m%4, which is k
    yield 'imm i"8" $ls8v'
    yield from vectors()
    yield f"zero {partial.double()}"
    yield "land $mabid $ls8v $ls16v"
    yield "ladd $aluf $aluf $nowrite"
    yield "ladd $aluf $ls16v $nowrite"
    yield "ladd $mabid $aluf $lt"  # T = m + 3 * (m & 8) = 32h + 4w + k, where i = 2h + w
    yield 'imm i"2" $ls0v'
    yield from matrix()
    yield "llsr $mabid $ls0v $lt"  # T = m/4, which is i
    yield from product()
    yield "nop/2"
    yield f"l1bmrffadd {partial.double()} $llb0"  # the sums over all MABs
    yield "nop/2"
    yield f"l1bmm $llb0 {op.y.double()}"
