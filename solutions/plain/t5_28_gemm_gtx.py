"""Task 5.28: g transposed times x, plainly: each MAB 16 of the 256 sums, the tree adds up the rows."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    # Each L1B has four rows r. MAB m = 4n + 2a + h computes rows 4n + a and 4n + 2 + a of its share of y, of these the
    # columns of long word h of each PE. L2BM and the MV add up the shares.
    everywhere = op.scratch(64, "LM0")  # g[r][4n + 2c + a] of the four rows at word 16r + 8c + 2n + a, in every PE

    def half_of_x() -> Iterator[str]:
        """Long word h of the four rows of x to `$lr0v`, one row per cycle: T = 2h, and h is the lowest bit of m."""
        ### BEGIN HOLE
        yield 'imm i"1" $ls0v'
        yield "land $mabid $aluf $nowrite"
        yield "llsl $aluf $ls0v $t"
        yield "nop"
        yield f"lpassa $lmt{x.address}v4 $lr0v"
        ### END HOLE

    def hand_out(part: int) -> Iterator[str]:
        """Four long words of g, from `$lb{4 * part}` on, to `everywhere` in every PE. One line, an address per cycle.

        Row r = part // 2 of g; of its 8 long words the first or the last four. Long word 2n + c has the columns
        4n + 2c and 4n + 2c + 1, so it belongs at word 16r + 8c + 2n.
        """
        ### BEGIN HOLE
        start = 16 * (part // 2) + 4 * (part % 2)
        yield f"l1bmp $lb{4 * part} {everywhere.flat('l', [start, start + 8, start + 2, start + 10])}"
        ### END HOLE

    def products(row: int, first: int) -> Iterator[str]:
        """One line: g[row][…] times x[row][…], added to `$mauf` but for the first row; the last sum goes to `$s8v`.

        first: the address of this row in `everywhere`. T = 2n + a is added to it and finds the number of g, for c = 0;
        8 words further on is that for c = 1. Cycles 0 and 1 do c = 0, cycles 2 and 3 c = 1. Cycles 0 and 2 take word
        2 * row of GRF0, the even column of x, cycles 1 and 3 the word after it, the odd column.
        """
        ### BEGIN HOLE
        factors = f"$mt[{first},{first},{first + 8},{first + 8}] $r[{2 * row},{2 * row + 1},{2 * row},{2 * row + 1}]"
        target = "$s8v" if row == 3 else "$nowrite"
        yield f"fvmul {factors} {target}" if row == 0 else f"fvfma {factors} $mauf {target}"
        ### END HOLE

    yield f"l1bmm@0 {g.double()} $llb0"
    yield from half_of_x()
    for part in range(8):
        yield from hand_out(part)
    yield 'imm i"1" $nowrite'
    yield "llsr $mabid $aluf $t"  # from here on T = m / 2
    yield "nop"
    for row in range(4):
        yield from products(row, everywhere.address + 16 * row)
    yield "nop/2"
    yield "l1bmd $ls[8,10,8,10] $lb0"  # c = 0, then c = 1; cycles 2 and 3 are not needed
    # Up the tree: the sums over the 8 L1Bs of 128 long words, then over the 8 L2Bs to the groups' DRAM.
    ### BEGIN HOLE
    yield "nop/2"
    yield "l2bmrffadd $lb0 $lc0"
    yield "l2bmrffadd $lb64 $lc64"
    yield f"mvrffadd/n128 $lc0 {op.y.dram()}"
    ### END HOLE
