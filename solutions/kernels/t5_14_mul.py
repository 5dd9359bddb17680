"""Task 5.14: Mul (two operands in one memory: one of them waits in GRF0, half of it comes by forwarding)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.14", "Mul")
def mul(op: Op) -> Iterator[str]:
    """y = a * b, element by element, with a relative error of at most 2^-22.

    a, b: same layout, a multiple of 16 words per PE. y: same layout, in an LM that holds no input; every copy of a and
    b gives a copy of y. A product below 2^-126 in size gives +0. Par for 256x16: 4 steps.
    """
    if op.y.memory in {operand.memory for operand in op.inputs}:
        raise UnsupportedShape("Mul reads one LM and writes the other", f"all in {op.y.memory}", "move the output")
    if op.y.words % 16:
        raise UnsupportedShape("a has a multiple of 16 words per PE", f"{op.y.words} words", "pad a to more rows")
    ### BEGIN SOLUTION
    # An LM is read at one address per step, so b goes first, 4 words per cycle. The MAU takes 2 words per cycle: the
    # first two arrive by forwarding, the other two from GRF0 one step later, which is as soon as it may be read.
    a, b = op.inputs
    for at in range(0, op.y.words, 16):
        yield f"lpassa {b.double(at)} $llr0v"
        yield f"fvmul {a.long(at, 4)} $aluf {op.y.long(at, 4)}"
        yield f"fvmul {a.long(at + 2, 4)} $lr2v4 {op.y.long(at + 2, 4)}"
    ### END SOLUTION
