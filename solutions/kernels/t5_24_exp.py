"""Task 5.24: Exp (2^n * e^r with n a whole number and r small: a polynomial, the MAU busy in every step)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, Operand, kernel, single


@kernel("5.24", "Exp")
def exp(op: Op) -> Iterator[str]:
    """y = e^x, element by element, with a relative error of at most 2^-20.

    x: in either LM, any layout with a multiple of 4 words per PE. y: in the other LM, same layout; every copy of x
    gives a copy of y. A result below 2^-126 is +0, one above the largest single is inf. Par for 256x16: 65 steps.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Exp reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    ### BEGIN SOLUTION
    # Accuracy reached: a relative error below 1e-7; e^0 is exactly 1.
    # n = round(x / ln 2), r = x - n ln 2, |r| <= ln 2 / 2; e^x = 2^n * p(r).
    #   Rounding: a sum near 1.5 * 2^23 has no fraction bits, so adding MAGIC rounds to a whole number. With 127 in it
    #     as well, the low bits of the sum are n + 127: shifted left by 23 they are the single 2^n.
    #   Reduction: ln 2 in two parts. The first has 16 bits, so that n * LN2_HIGH and the difference from x are exact.
    #   Range: clamped to [-88, 89], n is in [-127, 128]. 2^-127 has exponent field 0 and counts as zero; 2^128 is all
    #     ones, which the MAU takes as the ordinary number. So the last product gives 0 and inf by itself.
    #   p = 1 + r + r^2 q(r) with q of degree 4: the minimax relative error on the interval is 4e-9.
    # The MAU works down one chain, each result forwarded into the next operation. Beside it the ALU hands over one
    # constant per step, shifts n, and clamps the next 8 words.
    low, high, log2_e, shift, minus_ln2_high, c6 = (f"$lr{2 * i}" for i in range(6))
    magic, x, scale, r = "$ls0", "$ls8v", "$ls16v", "$t"
    yield f'imm f"-88.0" {low}'
    yield f'imm f"89.0" {high}'
    yield f"imm {single(1.4426950408889634)} {log2_e}"
    yield f"imm {single(1.5 * 2**23 + 127)} {magic}"
    yield f'imm i"23" {shift}'
    yield f"imm {single(-0.693145751953125)} {minus_ln2_high}"
    yield f"imm {single(0.0013814320554956794)} {c6}"
    step, take = (8, Operand.long) if op.x.words % 8 == 0 else (4, Operand.word)
    starts = range(0, op.x.words, step)
    clamps = [(f"fmax {take(op.x, at)} {low} $nowrite", f"fmin $aluf {high} {x}") for at in starts]
    yield from clamps[0]
    for at, (clamp_low, clamp_high) in zip(starts, [*clamps[1:], ("", "")], strict=True):
        yield f"fvfma $aluf {log2_e} {magic} $nowrite"
        yield f"fvadd $mauf -{magic} $t ; ilsl $mauf {shift} {scale}"  # n as a number, and 2^n
        yield f"fvfma $mauf {minus_ln2_high} {x} $nowrite ; imm {single(-1.428606765330187e-06)} $nowrite"
        yield f"fvfma $t $aluf $mauf {r} ; imm {single(0.00836885068565607)} $nowrite"
        yield f"fvfma $mauf {c6} $aluf $nowrite ; imm {single(0.041668400168418884)} $nowrite"
        yield f"fvfma $mauf {r} $aluf $nowrite ; imm {single(0.1666651964187622)} $nowrite"
        yield f"fvfma $mauf {r} $aluf $nowrite ; imm {single(0.4999999403953552)} $nowrite"
        yield f'fvfma $mauf {r} $aluf $nowrite ; imm f"1.0" $nowrite'
        yield f'fvfma $mauf {r} $aluf $nowrite ; imm f"1.0" $nowrite'
        yield _together(f"fvfma $mauf {r} $aluf $nowrite", clamp_low)
        yield _together(f"fvmul $mauf {scale} {take(op.y, at)}", clamp_high)


def _together(*instructions: str) -> str:
    """The instructions that are there, in one step."""
    return " ; ".join(filter(None, instructions))
    ### END SOLUTION
