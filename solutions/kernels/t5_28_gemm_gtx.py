"""Task 5.28: g transposed times x, 256x16 both: each MAB 16 of the 256 results, the tree adds up the rows."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from solutions.kernels._elsewhere import elsewhere, is_elsewhere
from solutions.kernels._gemm import through_t


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
    ### BEGIN SOLUTION
    # Accuracy reached: |y - exact| <= 9 * 2^-24 * sum of |g*x|.
    if is_elsewhere(op, output="DRAM"):
        yield from elsewhere(op, gemm_gtx.emit, output="DRAM")
        return
    # Each L1B has 4 rows r, in all its MABs. Its share of y is 16x16 sums of 4 products; each of the 16 MABs does 16 of
    # them with the vector unit, in products of singles: nothing to split. L2BM and the MV add up all L1B and L2B.
    #
    # Which 16? The last MV gives places 16n to 16n+15 of each 64 to group n, and l1bmd puts MAB m at place 4m of 64 in
    # the block of its cycle. To end in row-major order, MAB m = 4n + 2a + h does rows i = 4n + a and 4n + 2 + a (the
    # first in block 0, the second in block 1), and of their columns j half h.
    everywhere = op.scratch(64, "LM0")  # all of the L1B's g, in every PE
    yield 'imm i"1" $ls0v'
    yield f"land $mabid $aluf $nowrite; l1bmm@0 {g.double()} $llb0"
    yield "llsl $aluf $ls0v $lt"  # T = 2h
    yield "nop"
    yield f"lpassa {through_t(x.long(0, 4))} $lr0v"  # half h of the 4 rows of x
    # g[r][4n + 2c + a] goes to word 16*r + 8*c + 2*n + a, where the second index is T = m/2 = 2n + a.
    for part in range(8):  # cycle: n = 0 0 1 1 (or 2 2 3 3), c = 0 1 0 1
        index = "; llsr $mabid $ls0v $lt" if part == 0 else ""
        start = 16 * (part // 2) + 4 * (part % 2)
        yield f"l1bmp $lb{4 * part} {everywhere.flat('l', [start, start + 8, start + 2, start + 10])}{index}"
    yield "nop/2"
    # Cycles: (c = 0, even column), (c = 0, odd column), and the same for c = 1.
    for row in range(4):
        factors = f"{through_t(everywhere.flat('', [16 * row, 16 * row, 16 * row + 8, 16 * row + 8]))} "
        factors += f"$r[{2 * row},{2 * row + 1},{2 * row},{2 * row + 1}]"
        yield f"fvmul {factors} $nowrite" if row == 0 else f"fvfma {factors} $mauf {'$s8v' if row == 3 else '$nowrite'}"
    yield "nop/2"
    yield "l1bmd $ls[8,10,8,10] $lb0"
    yield "nop/2"
    yield "l2bmrffadd $lb0 $lc0"
    yield "l2bmrffadd $lb64 $lc64"
    yield f"mvrffadd/n128 $lc0 {op.y.dram()}"
    ### END SOLUTION
