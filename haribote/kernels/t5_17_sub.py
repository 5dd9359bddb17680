"""Task 5.17: Sub.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 1.
Check it with `grader check 5.17`; if you are stuck, `grader hint 5.17`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.17", "Sub")
def sub(op: Op) -> Iterator[str]:
    """y = a - b, element by element, correctly rounded; a difference below 2^-126 gives +0.

    a, b: same layout, a multiple of 16 words per PE. y: same layout, in an LM that holds no input; every copy of a and
    b gives a copy of y. Par for 256x16: 5 steps.
    """
    if op.y.memory in {operand.memory for operand in op.inputs}:
        raise UnsupportedShape("Sub reads one LM and writes the other", f"all in {op.y.memory}", "move the output")
    if op.y.words % 16:
        raise UnsupportedShape("a has a multiple of 16 words per PE", f"{op.y.words} words", "pad a to more rows")
    # TODO: about 5 lines.
    raise NotWritten("task 5.17 (Sub) is not written yet; check it with `grader check 5.17`")
