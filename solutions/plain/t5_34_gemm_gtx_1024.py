"""Task 5.34: g transposed times x, 1024 columns, plainly: one thing after another."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    # Blocks q = 0..3 of 8 rows r. Transposed, a block of x is a matrix with 8 rows k, a block of g 16 vectors, one for
    # each i, four to a step (group e = 0..3). In GRF0, 8 words for four of them: x's at 16q and 16q + 8, g's of group e
    # at 64 + 32q + 8e. Their hi goes to the same place in GRF1, their lo replaces them. The sums: GRF0, 192 + 8e.

    def unit_matrix() -> Iterator[str]:
        """The 8x8 unit matrix to `$ly`; uses T, mask entry 1 and words 496 to 503 of GRF1."""
        yield "zero $lt"
        yield 'imm i"1" $lt/0011'
        yield 'imm i"0x3f800000" $ls496v'
        yield "ixor $subpeid $lt $omr1"
        yield 'imm i"0x3fc00000" $s[496,499,500,503]/$imr1'
        yield "nop"
        yield "gmwrite $ls496v $ly0; msl $ls496v $nowrite"
        yield "msl $aluf $nowrite"
        yield "gmwrite $aluf $ly4"

    def transposed(first: str, second: str, at: int) -> Iterator[str]:
        """A block of 8 rows, rows 0 to 3 and 4 to 7: its columns 0 to 3 to `$lr{at}v`, 4 to 7 to `$lr{at + 8}v`."""
        ### BEGIN HOLE
        yield f"gmwrite {first} $lx0"
        yield f"gmwrite {second} $lx4"
        yield f"gmread $lx0 $lr{at}v"
        yield f"gmread $lx4 $lr{at + 8}v"
        ### END HOLE

    def split(at: int) -> Iterator[str]:
        """Four vectors at `$lr{at}v`: their hi to `$ls{at}v`, their lo back to `$lr{at}v`. `$ly` is the unit matrix."""
        ### BEGIN HOLE
        yield f"gbfn $lr{at}v $ls{at}v"
        yield "nop"
        yield f"gmfma $ly -$ls{at}v $lr{at}v $nowrite"
        yield f"gbfn $mauf $lr{at}v"
        ### END HOLE

    def matrices(q: int) -> Iterator[str]:
        """Of block q of x the lo to `$lx` and the hi to `$ly`, two lines each."""
        ### BEGIN HOLE
        for register, bank in (("$lx", "r"), ("$ly", "s")):
            yield f"gmwrite $l{bank}{16 * q}v {register}0"
            yield f"gmwrite $l{bank}{16 * q + 8}v {register}4"
        ### END HOLE

    def products(q: int, e: int) -> Iterator[str]:
        """Three products of block q and group e, the small ones first, added to the sum in `$lr{192 + 8 * e}v`.

        With q = 0 the sum begins.
        """
        ### BEGIN HOLE
        hi, lo, total = f"$ls{64 + 32 * q + 8 * e}v", f"$lr{64 + 32 * q + 8 * e}v", f"$lr{192 + 8 * e}v"
        yield f"gmmul $lx {hi} $nowrite" if q == 0 else f"gmfma $lx {hi} {total} $nowrite"
        yield f"gmfma $ly {lo} $mauf $nowrite"
        yield f"gmfma $ly {hi} $mauf {total}"
        ### END HOLE

    for q in range(4):
        yield from transposed(x.long(16 * q), x.long(16 * q + 8), 16 * q)
        for at in (0, 2):  # long word 0 or 1 of the rows of g: groups 0 and 1, or 2 and 3
            rows = (g.long(32 * q + at, 4), g.long(32 * q + at + 16, 4))
            yield from transposed(*rows, 64 + 32 * q + 8 * at)
    yield from unit_matrix()
    for part in range(24):
        yield from split(8 * part)
    yield "nop"
    for q in range(4):
        yield from matrices(q)
        for e in range(4):
            yield from products(q, e)
    yield "nop"
    # To L1BM, group e to `$lb{256 * e}`; half rows to L2BM; the sum over the L2Bs to a PDM; four rows to each group.
    ### BEGIN HOLE
    for e in range(4):
        yield f"l1bmd $lr{192 + 8 * e}v $lb{256 * e}"
    yield "nop/2"
    for part in range(32):
        yield f"l2bmd $lb{32 * part} $lc{256 * part}"
    yield "mvrffadd/n8192 $lc0 $p0@0"
    for n in range(4):
        yield f"mvp/n2048 $p{2048 * n}@0 {op.y.dram()}@{n}"
    ### END HOLE
