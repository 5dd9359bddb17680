"""Task 5.33: x times W transposed, 1024 columns, plainly: one thing after another."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.33", "Gemm x·Wᵀ, 1024 columns")
def gemm_xwt_1024(op: Op) -> Iterator[str]:
    """y[r][i] = sum over k of x[r][k] * W[i][k].

    x: in LM0 or LM1, 256x1024 in ((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)).
    W: in LM0 or LM1, 16x1024 in ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)). So every MAB has 8 of the
    columns k, of 32 rows of x and of all rows of W. Addresses are multiples of 4 words. LM may not change.
    y: in DRAM, 256x16, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words;
    nothing else in DRAM may change.
    The matrix unit multiplies pseudo-singles of 18 bits (gm…); how singles are split is the kernel's choice.
    Accuracy: integers are exact while sums of |x*W| stay below 2^24, zeros give zeros, and
    |y - exact| <= 2^-19 * sum of |x*W| + 1024 * 2^-32 * max|x| * max|W|.
    Par: 121 steps and 2 MV.
    """
    x, w = op.inputs
    if x.shape != (256, 1024) or w.shape != (16, 1024):
        raise UnsupportedShape("takes 256x1024 and 16x1024", f"{x.shape} and {w.shape}", "pad to 1024 columns")
    # Each MAB has 8 of the columns k: 8 rows of W are a matrix (two halves, i = 0..7 and 8..15), four rows of x are the
    # vectors of one step. In GRF0: the hi of W's four groups of rows at 8v, their lo at 32 + 8v, the lo of x's eight
    # groups at 64 + 8v. In GRF1: the hi of x at 8v. The sums of rows 4 * rows to 4 * rows + 3 go to GRF0, from word
    # 128 + 16 * rows on.

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

    def split(single: str, hi: str, lo: str) -> Iterator[str]:
        """hi = gbfn(single), then, with the unit matrix in `$ly`, lo = gbfn(single - hi). Mind when hi may be read."""
        ### BEGIN HOLE
        yield f"gbfn {single} {hi}"
        yield "nop"
        yield f"gmfma $ly -{hi} {single} $nowrite"
        yield f"gbfn $mauf {lo}"
        ### END HOLE

    def matrices(half: int) -> Iterator[str]:
        """Of eight rows of W the lo to `$lx` and the hi to `$ly`: two lines each, with rows 0 to 3 and 4 to 7."""
        ### BEGIN HOLE
        for register, start in (("$lx", 32 + 16 * half), ("$ly", 16 * half)):
            yield f"gmwrite $lr{start}v {register}0"
            yield f"gmwrite $lr{start + 8}v {register}4"
        ### END HOLE

    def products(rows: int, half: int) -> Iterator[str]:
        """The three products of four rows, the small ones first, each with `$mauf` as the addend of the next.

        The sum goes to `$lr{128 + 16 * rows + 2 * half}v4`, where the way up finds both halves of a row side by side.
        """
        ### BEGIN HOLE
        yield f"gmmul $lx $ls{8 * rows}v $nowrite"
        yield f"gmfma $ly $lr{64 + 8 * rows}v $mauf $nowrite"
        yield f"gmfma $ly $ls{8 * rows}v $mauf $lr{128 + 16 * rows + 2 * half}v4"
        ### END HOLE

    yield from unit_matrix()
    for v in range(4):
        yield from split(w.long(8 * v), f"$lr{8 * v}v", f"$lr{32 + 8 * v}v")
    for v in range(8):
        yield from split(x.long(8 * v), f"$ls{8 * v}v", f"$lr{64 + 8 * v}v")
    yield "nop"
    for half in range(2):
        yield from matrices(half)
        for rows in range(8):
            yield from products(rows, half)
    yield "nop"
    # Up the tree: eight times four rows with a sum over the MABs, then 64 long words at a time with a sum over the
    # L1Bs. At the end the two L2Bs of each group have 32 rows each.
    ### BEGIN HOLE
    for rows in range(8):
        yield f"l1bmrffadd $llr{128 + 16 * rows}v $llb{32 * rows}"
    yield "nop/2"
    for part in range(4):
        yield f"l2bmrffadd $lb{64 * part} $lc{64 * part}"
    yield f"mvp/n256 $lc0@.0 {op.y.dram()}"
    yield f"mvp/n256 $lc0@.1 {op.y.dram(256)}"
    ### END HOLE
