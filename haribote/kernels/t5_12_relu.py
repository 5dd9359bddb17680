"""Task 5.12: Relu.

It is taught in notebooks/00_start/02_first_kernel, section 2.
Check it with `grader check 5.12`; if you are stuck, `grader hint 5.12`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.12", "Relu")
def relu(op: Op) -> Iterator[str]:
    """y = max(x, 0), element by element, exact to the bit; a negative x gives 0 of either sign.

    x: in either LM, any layout with a multiple of 4 words per PE. y: in the other LM, same layout; every copy of x
    gives a copy of y. One step does 8 words per PE. Par for 256x16: 2 steps.
    """
    if op.x.memory == op.y.memory:
        raise UnsupportedShape("Relu reads one LM and writes the other", f"both in {op.x.memory}", "move the output")
    # TODO: about 3 lines.
    raise NotWritten("task 5.12 (Relu) is not written yet; check it with `grader check 5.12`")
