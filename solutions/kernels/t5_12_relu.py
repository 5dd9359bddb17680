"""Task 5.12: Relu (the ALU has it as one instruction; what is left is to feed it long words)."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, Operand, kernel


@kernel("5.12", "Relu")
def relu(op: Op) -> Iterator[str]:
    """y = max(x, 0), element by element, exact to the bit; a negative x gives 0 of either sign.

    x: in either LM, any layout with a multiple of 4 words per PE. y: in the other LM, same layout; every copy of x
    gives a copy of y. One step does 8 words per PE. Par for 256x16: 2 steps.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Relu reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    ### BEGIN SOLUTION
    # `frelu a b` gives b where the sign of a is clear and -0 elsewhere, in both words of a long word: with a = b = x it
    # is the Relu of 2 words per cycle. Only 4-word tensors are too short for four cycles of long words.
    step, take = (8, Operand.long) if op.x.words % 8 == 0 else (4, Operand.word)
    for at in range(0, op.x.words, step):
        yield f"frelu {take(op.x, at)} {take(op.x, at)} {take(op.y, at)}"
    ### END SOLUTION
