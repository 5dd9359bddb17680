"""Task 5.18: Sub, and the update of a parameter (two operands in one memory; shapes down to 4 words per PE)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.18", "Sub and the update")
def update(op: Op) -> Iterator[str]:
    """y = w - d, element by element, correctly rounded; a difference below 2^-126 in size gives +0.

    w, d: same layout, a multiple of 4 words per PE. y: same layout, in an LM that holds no input; every copy of w and d
    gives a copy of y. Par: 256x16 5 steps, 16x16 17, 16x1024 9, 16 3.
    """
    if op.y.memory in {operand.memory for operand in op.inputs}:
        raise UnsupportedShape("Sub reads one LM and writes the other", f"all in {op.y.memory}", "move the output")
    ### BEGIN SOLUTION
    # An LM is read at one address per step, so d goes first, 4 words per cycle. The MAU takes 2 words per cycle: the
    # first two arrive by forwarding, the other two from GRF0 one step later, which is as soon as it may be read.
    w, d = op.inputs
    whole = op.y.words // 16 * 16
    for at in range(0, whole, 16):
        yield f"lpassa {d.double(at)} $llr0v"
        yield f"fvadd {w.long(at, 4)} -$aluf {op.y.long(at, 4)}"
        yield f"fvadd {w.long(at + 2, 4)} -$lr2v4 {op.y.long(at + 2, 4)}"
    # What is left, such as a vector of 16, is too short for that: 1 word per cycle.
    for at in range(whole, op.y.words, 4):
        yield f"ipassa {d.word(at)} $nowrite"
        yield f"fvadd {w.word(at)} -$aluf {op.y.word(at)}"
    ### END SOLUTION
