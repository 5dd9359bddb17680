"""Task 5.20: g times W, plainly: each MAB one row of W, and the way up adds."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.20", "Gemm g·W")
def gemm_gw(op: Op) -> Iterator[str]:
    """y[r][j] = sum over i of g[r][i] * W[i][j].

    g: in LM0, 256x16 in layout A, ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)).
    W: in LM0, 16x16 in ((16:2), (2:1, 4_PE:1, 2_W:1)).
    y: in LM0 or LM1, layout A, in every copy. Addresses are multiples of 4 words. 64 words of LM0 after the operands
    and `op.scratch` may be used; no other word of LM may change.
    How to multiply is the kernel's choice: with ordinary singles (fv…), or with the matrix unit, which wants W's
    columns as rows (gmread transposes) and takes pseudo-singles of 18 bits (gm…).
    Accuracy: integers are exact while sums of |g*W| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |g*W| + 16 * 2^-32 * max|g| * max|W|.
    Par: 40 steps.
    """
    g, w = op.inputs
    if (g.shape, w.shape) != ((256, 16), (16, 16)):
        raise UnsupportedShape("g·W takes 256x16 and 16x16", f"{g.shape} and {w.shape}", "pad to 256 rows, 16 columns")
    # MAB m computes g[r][m] * W[m] for the four rows r of its L1B; the sum over the MABs is y.
    everywhere = op.scratch(64, "LM0")  # g[r][i] of the four rows, at word 16 * r + i, the same in every PE

    def row_of_w() -> Iterator[str]:
        """Row m of W to `$llr0`, the same in all four cycles, where m is the MAB's number: T = 4m finds it."""
        ### BEGIN HOLE
        yield 'imm i"2" $nowrite'
        yield "llsl $mabid $aluf $t"
        yield "nop"
        yield f"lpassa $llmt{w.address} $llr0"
        ### END HOLE

    def hand_out() -> Iterator[str]:
        """The 32 long words of g that MAB 0's PEs have sent to `$lb0` and on: to `everywhere`, in every PE."""
        ### BEGIN HOLE
        for at in range(0, 32, 4):
            yield f"l1bmp $lb{at} {everywhere.long(2 * at)}"
        ### END HOLE

    def products(row: int, first: int) -> Iterator[str]:
        """g[row][m] times row m of W, to `$r{16 + 4 * row}v`, word c of each PE in cycle c. T is m.

        first: the address of g[row][0] in `everywhere`.
        """
        ### BEGIN HOLE
        yield f"fvmul $mt{first} $r0v $r{16 + 4 * row}v"
        ### END HOLE

    yield f"l1bmm@0 {g.double()} $llb0"
    yield from row_of_w()
    yield from hand_out()
    yield "lpassa $mabid $t"  # from here on T = m
    yield "nop"
    for row in range(4):
        yield from products(row, everywhere.address + 16 * row)
    yield "nop"
    # Up with a sum over the MABs, and down to all of them.
    ### BEGIN HOLE
    yield "l1bmrffadd $llr16v $llb0"
    yield "nop/2"
    yield f"l1bmm $llb0 {op.y.double()}"
    ### END HOLE
