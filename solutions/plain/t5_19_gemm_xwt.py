"""Task 5.19: x times W transposed, plainly: every MAB does all 16 blocks."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    # Word k of the four PEs is a vector of four columns. Every MAB does all 16 blocks (i, k) of W, each of 4x4 numbers:
    # i says which columns of y, k which columns of x. In GRF0 are the vectors of x, 8 words for each k. In GRF1 is the
    # sum so far, as doubles, from word 0 on, and the results from word 16 on: word i of row c at 16 + 4c + i.

    def vectors(k: int) -> Iterator[str]:
        """Word k of the four rows of x, one row per cycle, as block floats of double precision: to `$lr{8 * k}v`."""
        ### BEGIN HOLE
        yield f"dvpassa {x.word(k, 4)}e $nowrite"
        yield f"dbfn $mauf $lr{8 * k}v"
        ### END HOLE

    def matrix(i: int, k: int) -> Iterator[str]:
        """Block (i, k) of W to `$lx`: row j of it is word k of the row of W that gives PE j its word i of y."""
        ### BEGIN HOLE
        high, low = divmod(i, 2)
        rows = [8 * high + 2 * j + low for j in range(4)]  # the columns of y that the PEs hold in word i
        yield f"dvpassa {w.flat('', [4 * row + k for row in rows])}e $nowrite"
        yield "dbfn $mauf $nowrite"
        yield "dmwrite $aluf $lx0"
        ### END HOLE

    def product(i: int, k: int) -> Iterator[str]:
        """`$lx` times the vectors of k, in two lines.

        k = 0 begins the sum in `$ls0v`; k = 1 and 2 add to it. k = 3 ends it and narrows it to singles, in
        `$s{16 + i}v4`.
        """
        ### BEGIN HOLE
        yield f"dmmulu $lx $lr{8 * k}v $nowrite" if k == 0 else f"dmfmau $lx $lr{8 * k}v $ls0v $nowrite"
        if k < 3:
            yield f"dmfmad $lx $lr{8 * k}v $mauf $ls0v"
        else:
            yield f"dmfmadr $lx $lr{8 * k}v $mauf $s{16 + i}v4"
        ### END HOLE

    for k in range(4):
        yield from vectors(k)
    for i in range(4):
        for k in range(4):
            yield from matrix(i, k)
            yield from product(i, k)
    yield "nop"
    yield f"lpassa $lls16v {op.y.double()}"  # four words of each row, one row per cycle
