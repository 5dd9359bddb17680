"""Task 5.16: Add bias (read the row once, in the rhythm in which the cycles need it)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.16", "Add bias")
def add_bias(op: Op) -> Iterator[str]:
    """y = x + b, with b added to every row; correctly rounded, a sum below 2^-126 in size gives +0.

    x: [rows, 16] with an even number of rows per PE, 4 words each. b: [16], laid out like a row of x. y: like x, in an
    LM that holds no input; every copy of x and b gives a copy of y. Par for 256x16: 3 steps.
    """
    x, bias = op.inputs
    if x.memory == op.y.memory:
        raise UnsupportedShape("Add reads one LM and writes the other", f"both in {x.memory}", "move the output")
    if x.layout.axes[-1] != bias.layout.axes[-1] or x.words % 8:
        raise UnsupportedShape("a row of x is laid out like b", f"{x.layout} and {bias.layout}", "use layout A or P")
    ### BEGIN SOLUTION
    # A row is two long words per PE, so four cycles are two rows: cycles 0 and 2 need b's first long word, 1 and 3 its
    # second. Read in that order once, it serves every step: by forwarding first, from T as soon as T may be read.
    yield f"lpassa {bias.flat('l', [0, 2, 0, 2])} $t"
    row = "$aluf"
    for at in range(0, x.words, 8):
        yield f"fvadd {x.long(at)} {row} {op.y.long(at)}"
        row = "$t"
    ### END SOLUTION
