"""Task 5.23: Sub per row.

It is taught in notebooks/05_mncore_ops/03_rows, section 4.
Check it with `grader check 5.23`; if you are stuck, `grader hint 5.23`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS


@kernel("5.23", "Sub per row")
def sub_rows(op: Op) -> Iterator[str]:
    """y[i, k] = x[i, k] - v[i], correctly rounded; a difference below 2^-126 in size gives +0.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. v: [256] in LM0, one word per
    row, in every L1B, MAB and PE of the same L2B. y: like x, in either LM, in every L1B and MAB. Par: 64 steps.
    """
    x, v = op.inputs
    if (x.layout, v.layout, op.y.layout) != (LAYOUTS["256x16.P"], LAYOUTS["256"], LAYOUTS["256x16.P"]):
        raise UnsupportedShape("256x16 in layout P minus 256", f"{x.layout}, {v.layout}", "pad the batch to 256")
    # TODO: about 16 lines.
    raise NotWritten("task 5.23 (Sub per row) is not written yet; check it with `grader check 5.23`")
