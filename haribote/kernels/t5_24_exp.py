"""Task 5.24: Exp.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 7.
Check it with `grader check 5.24`; if you are stuck, `grader hint 5.24`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.24", "Exp")
def exp(op: Op) -> Iterator[str]:
    """y = e^x, element by element, with a relative error of at most 2^-20.

    x: in either LM, any layout with a multiple of 4 words per PE. y: in the other LM, same layout; every copy of x
    gives a copy of y. A result below 2^-126 is +0, one above the largest single is inf. Par for 256x16: 65 steps.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Exp reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    # TODO: about 28 lines.
    raise NotWritten("task 5.24 (Exp) is not written yet; check it with `grader check 5.24`")
