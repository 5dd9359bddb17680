"""Task 5.21: ReduceMax over rows.

It is taught in notebooks/05_mncore_ops/03_rows, section 3.
Check it with `grader check 5.21`; if you are stuck, `grader hint 5.21`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS


@kernel("5.21", "ReduceMax over rows")
def max_rows(op: Op) -> Iterator[str]:
    """y[i] = the largest of x[i, 0..15], its bits unchanged; of several zeros (below 2^-126 in size is zero), any.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. y: [256] in either LM, in
    every L1B, MAB and PE of the same L2B. Infinities count as the largest numbers. Par: 170 steps.
    """
    if op.x.layout != LAYOUTS["256x16.P"] or op.y.layout != LAYOUTS["256"]:
        raise UnsupportedShape(
            "256x16 in layout P gives 256 maxima", f"{op.x.layout}, {op.y.layout}", "pad the batch to 256"
        )
    # TODO: about 26 lines.
    raise NotWritten("task 5.21 (ReduceMax over rows) is not written yet; check it with `grader check 5.21`")
