"""Task 5.18: Sub and the update.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 4.
Check it with `grader check 5.18`; if you are stuck, `grader hint 5.18`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.18", "Sub and the update")
def update(op: Op) -> Iterator[str]:
    """y = w - d, element by element, correctly rounded; a difference below 2^-126 in size gives +0.

    w, d: same layout, a multiple of 4 words per PE. y: same layout, in an LM that holds no input; every copy of w and d
    gives a copy of y. Par: 256x16 5 steps, 16x16 17, 16x1024 9, 16 3.
    """
    if op.y.memory in {operand.memory for operand in op.inputs}:
        raise UnsupportedShape("Sub reads one LM and writes the other", f"all in {op.y.memory}", "move the output")
    # TODO: about 9 lines.
    raise NotWritten("task 5.18 (Sub and the update) is not written yet; check it with `grader check 5.18`")
