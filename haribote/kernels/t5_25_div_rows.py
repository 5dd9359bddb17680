"""Task 5.25: Div per row.

It is taught in notebooks/05_mncore_ops/03_rows, section 5.
Check it with `grader check 5.25`; if you are stuck, `grader hint 5.25`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS


@kernel("5.25", "Div per row")
def div_rows(op: Op) -> Iterator[str]:
    """y[i, k] = x[i, k] / v[i], with a relative error of at most 2^-21; 0 / v is 0.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. v: [256] in LM0, one word per
    row, in every L1B, MAB and PE of the same L2B. y: like x, in either LM, in every L1B and MAB. Par: 137 steps.

    x is 0 or, like v and the quotient, between 2^-60 and 2^60 in size; both may be negative.
    """
    x, v = op.inputs
    if (x.layout, v.layout, op.y.layout) != (LAYOUTS["256x16.P"], LAYOUTS["256"], LAYOUTS["256x16.P"]):
        raise UnsupportedShape("256x16 in layout P over 256", f"{x.layout}, {v.layout}", "pad the batch to 256")
    # TODO: about 35 lines.
    raise NotWritten("task 5.25 (Div per row) is not written yet; check it with `grader check 5.25`")
