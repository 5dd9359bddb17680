"""Task 5.25: Div per row (eight reciprocals at once by Newton's method, then one correction per quotient)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS
from solutions.kernels._elsewhere import elsewhere, is_elsewhere


@kernel("5.25", "Div per row")
def div_rows(op: Op) -> Iterator[str]:
    """y[i, k] = x[i, k] / v[i], with a relative error of at most 2^-21; 0 / v is 0.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. v: [256] in LM0, one word per
    row, in every L1B, MAB and PE of the same L2B. y: like x, in either LM, in every L1B and MAB. Par: 137 steps.

    x is 0 or, like v and the quotient, between 2^-60 and 2^60 in size; both may be negative.
    """
    x, v = op.inputs
    if (x.layout, v.layout, op.y.layout) != (LAYOUTS["256x16.P"], LAYOUTS["256"], LAYOUTS["256x16.P"]):
        raise UnsupportedShape("256x16 in layout P over 256", f"{x.layout}, {v.layout}", "pad the batch to 256")
    ### BEGIN SOLUTION
    # Accuracy reached: within 0.501 ulp; x / x is exactly 1, and 0 / v is exactly +0. Every finite x and every normal v
    # will do: a quotient too large for a single is inf of its sign, one below 2^-125 may be +0. Where |x| or the
    # quotient is below 2^-100 it is 2.1 ulp. Divided by a zero, 0 is +0, all else inf with the sign of the quotient.
    if is_elsewhere(op, output=op.y.memory):
        yield from elsewhere(op, div_rows.emit, output=op.y.memory)
        return
    # The rows are shared out as in task 5.23: MAB m = 2j + w does long word w of the rows j + 8i, i = 0..7. T = j finds
    # the words of v, T = 2m the long words of x. The eight divisors fill four cycles of two words: cycle c has i = c in
    # word 0 and i = 4 + c in word 1.
    exponents, one = "$ls32", "$lr40"
    yield 'imm i"1" $nowrite'
    yield "ullsr $mabid $aluf $t"
    yield f'imm i"0x7f800000" {exponents}'
    yield f"ipassa $mt{v.address}v8 $r0v2"
    yield f"ipassa $mt{v.address + 32}v8 $r1v2"
    yield f'imm f"1.0" {one}'
    # 1/v itself may be too small for a single. So x/v = (x s) (1/w) with w = v s, where s is about 1/sqrt(v) and a
    # power of two: x s and w are exact, |w| is between 2^-64 and 2^64, and what is too large or too small on the way is
    # so in the end. The exponent of rsqrt(v), which is rsqrt of |v|, is such an s.
    yield "frsqrt $lr0v $nowrite"
    yield f"iand $aluf {exponents} $lr8v $ls8v"  # s
    yield "fvmul $aluf $lr0v $lr16v $ls16v ; iand $msb1 $lr0v $t"  # w, and the sign
    # First guess rsqrt(w)^2 with the sign of w, relative error just above 2^-4. Newton's r + r (1 - w r) squares it
    # three times: below 2^-31, which is less than rounding adds.
    yield "frsqrt $mauf $nowrite"
    yield "fvmul $aluf $aluf $nowrite"
    yield "ior $mauf $t $lr24v"
    yield f'fvfma -$ls16v $aluf {one} $nowrite ; imm i"1" $nowrite'
    yield "fvfma $mauf $lr24v $lr24v $lr24v ; llsl $mabid $aluf $t"
    yield f"fvfma -$ls16v $mauf {one} $nowrite"
    yield "fvfma $mauf $lr24v $lr24v $lr24v"
    yield f"fvfma -$ls16v $mauf {one} $nowrite"
    yield "fvfma $mauf $lr24v $lr24v $lr24v $ls24v"  # r = 1/w
    # Each row needs its s, r and w in both words: those of word 0 in GRF0, those of word 1 in GRF1.
    for at in (8, 24, 16):
        yield f"ipassa $r{at}v2 $r{at + 1}v2 ; fvpassa $s{at + 1}v2 $s{at}v2"
    # q = (x s) r is right but for 2 ulp. Fused, x s - q w shows what is missing, and q + (x s - q w) r is rounded once.
    # This squares the error of r again.
    before = ""
    for number, (own, other) in enumerate((("$lr", "$ls"), ("$ls", "$lr"))):
        yield f"fvmul $lmt{x.address + 128 * number}v32 {own}8v {other}48v{before}"
        yield f"fvmul $mauf {own}24v {other}56v"
        yield f"fvfma -$mauf {own}16v {other}48v $nowrite"
        yield f"fvfma $mauf {own}24v {other}56v $nowrite"
        before = " ; l1bmd $mauf $lb0"
    yield "l1bmd $mauf $lb256"
    # Now L1BM long word 64i + 8j + 4w + p is long word w of PE p of row j + 8i: the rows, one after another.
    yield "nop/2"
    for at in range(0, x.words, 16):
        yield f"l1bmm $llb{2 * at} {op.y.double(at)}"
    ### END SOLUTION
