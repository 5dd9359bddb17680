"""Task 5.15: Mul by a constant.

It is taught in notebooks/05_mncore_ops/02_close_to_the_pe, section 2.
Check it with `grader check 5.15`; if you are stuck, `grader hint 5.15`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.15", "Mul by a constant")
def scale(op: Op) -> Iterator[str]:
    """y = c * x, element by element, with a relative error of at most 2^-22; c is `op.attributes["constant"]`.

    c is rounded to single precision. x: in either LM, any layout with a multiple of 4 words per PE. y: in the other LM,
    same layout; every copy of x gives a copy of y. A product below 2^-126 in size gives +0.
    Par: 256x16 6 steps, 16x16 24, 16x1024 12, 16 3.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Mul reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    # TODO: about 6 lines.
    raise NotWritten("task 5.15 (Mul by a constant) is not written yet; check it with `grader check 5.15`")
