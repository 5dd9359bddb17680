"""Task 5.13: Greater (x > 0 as 0.0 or 1.0: ones everywhere, then zeros under a mask, four words per cycle)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.13", "Greater")
def greater(op: Op) -> Iterator[str]:
    """y = 1.0 where x > 0, else 0.0, exact to the bit; this is the derivative of Relu, 0 at 0.

    x: in either LM, any layout with a multiple of 16 words per PE. y: in the other LM, same layout; every copy of x
    gives a copy of y. Numbers with exponent field 0 are zero on this machine. Par for 256x16: 3 steps.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Greater reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    if op.x.words % 16:
        raise UnsupportedShape("x has a multiple of 16 words per PE", f"{op.x.words} words", "pad x to more rows")
    ### BEGIN SOLUTION
    # The sign of -x is set exactly where x > 0: the MAU gives +0 the flag of a positive number whatever x's own sign.
    # A mask entry holds 4 flags per cycle, as many as a double long word has words. Only half-precision operations
    # produce 4 different ones: their addend is 4 singles, so `hvadd -half(x) -x` is negative exactly where -x is.
    yield 'imm f"1.0" $t'
    ones = "$aluf"
    for at in range(0, op.x.words, 16):
        x, y = op.x.double(at), op.y.double(at)
        yield f"lpassa {ones} {y} ; hvadd -{x}r -{x} $omr1"
        yield f"zero {y}/$llimr1"
        ones = "$t"  # T may be read from the second step after its write on
    ### END SOLUTION
