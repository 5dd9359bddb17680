"""Task 5.19: x times W transposed, 16 MABs sharing the work that a simple kernel lets each of them repeat."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from solutions.kernels._elsewhere import elsewhere, is_elsewhere
from solutions.kernels._gemm import through_t


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
    ### BEGIN SOLUTION
    # Accuracy reached: |y - exact| <= 3 * 2^-24 * sum of |x*W|.
    if is_elsewhere(op, output=op.y.memory):
        yield from elsewhere(op, gemm_xwt.emit, output=op.y.memory)
        return
    # Every MAB holds all of the L1B's 4 rows of x, and all of W. In double precision the matrix unit does 4x4 products
    # and loses nothing, so no splitting is needed, and 16 blocks of 4x4 for 16 MABs are one product for each.
    #
    # A block's 4 elements lie in the 4 PEs at the same word. So with k = 8h + 2p + w, a block of k is one word offset
    # 2h + w = 0..3 of a row, and likewise for i. MAB m has block m/4 of i and block m%4 of k:
    # its x is at 4*row + m%4, its W, rows i = 8h + 2p + w for p = 0..3 (in 4 cycles), at 32h + 8p + 4w + m%4. With
    # m/4 = 2h + w that is 8p + T, T = m + 24h = m + 3*(m & 8).
    partial = op.scratch(16, "LM0")
    yield 'imm i"3" $nowrite'
    yield "land $mabid $aluf $lt"
    yield 'imm i"8" $nowrite'
    yield f"dvpassa {through_t(x.word(0, 4))}e $nowrite; land $mabid $aluf $ls0v"
    yield "dbfn $mauf $lr0v"  # 4 rows of x
    yield f"zero {partial.double()}"
    yield "ladd $ls0v $ls0v $nowrite"
    yield "ladd $aluf $ls0v $nowrite"
    yield "ladd $mabid $aluf $lt"
    yield 'imm i"2" $ls8v'
    yield f"dvpassa {through_t(w.word(0, 8))}e $nowrite"
    yield "dbfn $mauf $nowrite"
    yield "dmwrite $aluf $lx0; llsr $mabid $ls8v $lt"  # from here on T = m/4
    # The double multiplier does 2 of the 4 rows at a time. The 4 results, i = 8h + 2p + w in PE p, become singles and
    # go to word 2h + w of their row; the other words stay 0, so that the sum over all MABs puts the rows together.
    yield "dmmulu $lx $lr0v $nowrite"
    yield f"dmfmadr $lx $lr0v $mauf {through_t(partial.word(0, 4))}"
    yield "nop/2"
    yield f"l1bmrffadd {partial.double()} $llb0"
    yield "nop/2"
    yield f"l1bmm $llb0 {op.y.double()}"
    ### END SOLUTION
