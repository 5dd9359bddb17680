"""Task 5.20: g times W, each MAB one row of W; the reduction over the MABs does the sum."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from solutions.kernels._elsewhere import elsewhere, is_elsewhere
from solutions.kernels._gemm import through_t


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
    ### BEGIN SOLUTION
    # Accuracy reached: |y - exact| <= 4 * 2^-24 * sum of |g*W|.
    if is_elsewhere(op, output=op.y.memory):
        yield from elsewhere(op, gemm_gw.emit, output=op.y.memory)
        return
    # Every MAB holds all of W. If MAB m computes g[r][m] * W[m] for the L1B's 4 rows r, the sum over the 16 MABs, which
    # the way to the L1BM does by itself, is y. The products are products of singles: nothing to split, and nothing to
    # transpose. Only g[r][m] has to reach all PEs of MAB m, so all of g goes to all PEs, and T = m picks the word.
    everywhere = op.scratch(64, "LM0")  # g[r][i] of the 4 rows, word 16*r + i
    yield 'imm i"2" $nowrite'
    yield f"l1bmm@0 {g.double()} $llb0; llsl $mabid $aluf $lt"  # T = 4*m: W's row m
    yield "nop"
    yield f"lpassa {through_t(w.double(0, 0))} $llr0"
    for part in range(8):  # 8 elements of g, half a row
        index = "; lpassa $mabid $lt" if part == 0 else ""
        yield f"l1bmp $lb{4 * part} {everywhere.long(8 * part)}{index}"
    yield "nop/2"
    for row in range(4):  # in cycle c: word c of W[m] and of y's row
        yield f"fvmul {through_t(everywhere.word(16 * row, 0))} $r0v $r{16 + 4 * row}v"
    yield "nop"
    yield "l1bmrffadd $llr16v $llb0"
    yield "nop/2"
    yield f"l1bmm $llb0 {op.y.double()}"
    ### END SOLUTION
