"""Task 5.23: Sub per row (each MAB does eight half rows and L1BM hands them to all, 16 words a step)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS
from solutions.kernels._elsewhere import elsewhere, is_elsewhere


@kernel("5.23", "Sub per row")
def sub_rows(op: Op) -> Iterator[str]:
    """y[i, k] = x[i, k] - v[i], correctly rounded; a difference below 2^-126 in size gives +0.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. v: [256] in LM0, one word per
    row, in every L1B, MAB and PE of the same L2B. y: like x, in either LM, in every L1B and MAB. Par: 64 steps.
    """
    x, v = op.inputs
    if (x.layout, v.layout, op.y.layout) != (LAYOUTS["256x16.P"], LAYOUTS["256"], LAYOUTS["256x16.P"]):
        raise UnsupportedShape("256x16 in layout P minus 256", f"{x.layout}, {v.layout}", "pad the batch to 256")
    ### BEGIN SOLUTION
    if is_elsewhere(op, output=op.y.memory):
        yield from elsewhere(op, sub_rows.emit, output=op.y.memory)
        return
    # MAB m = 2j + w does long word w of the rows j + 8i, i = 0..7: cycle c of the first step is i = c, of the second
    # i = 4 + c. T = j finds the words of v, T = 2m = 4j + 2w the long words of x.
    yield 'imm i"1" $ls32'
    yield "ullsr $mabid $aluf $t"
    yield "nop"
    # Both words of a long word of x need the same v: the first comes from LM0, the second is a copy.
    yield f"ipassa $mt{v.address}v8 $r0v2"
    yield f"ipassa $mt{v.address + 32}v8 $s0v2 ; fvpassa $aluf $r1v2"
    yield "llsl $mabid $ls32 $t ; fvpassa $aluf $s1v2"
    yield "nop"
    yield f"fvadd $lmt{x.address}v32 -$lr0v $nowrite"
    yield f"fvadd $lmt{x.address + 128}v32 -$ls0v $nowrite ; l1bmd $mauf $lb0"
    yield "l1bmd $mauf $lb256"
    # Now L1BM long word 64i + 8j + 4w + p is long word w of PE p of row j + 8i: the rows, one after another.
    yield "nop/2"
    for at in range(0, x.words, 16):
        yield f"l1bmm $llb{2 * at} {op.y.double(at)}"
    ### END SOLUTION
