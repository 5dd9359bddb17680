"""Task 5.14: Mul.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 1.
Check it with `grader check 5.14`; if you are stuck, `grader hint 5.14`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
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
    # TODO: about 5 lines.
    raise NotWritten("task 5.14 (Mul) is not written yet; check it with `grader check 5.14`")
