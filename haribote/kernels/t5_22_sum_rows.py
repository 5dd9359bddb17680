"""Task 5.22: ReduceSum over rows.

It is taught in notebooks/05_mncore_ops/03_rows, section 3.
Check it with `grader check 5.22`; if you are stuck, `grader hint 5.22`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel
from haribote.layout import LAYOUTS


@kernel("5.22", "ReduceSum over rows")
def sum_rows(op: Op) -> Iterator[str]:
    """y[i] = x[i, 0] + … + x[i, 15], within 2^-20 of the sum of |x[i, k]|.

    x: [256, 16] in LM0, layout P: L2B 0 of each group has 64 rows, in every L1B and MAB. y: [256] in either LM, in
    every L1B, MAB and PE of the same L2B. A sum below 2^-126 in size, also one on the way, gives +0; sums on the way
    must not be too large for a single. Par: 160 steps.
    """
    if op.x.layout != LAYOUTS["256x16.P"] or op.y.layout != LAYOUTS["256"]:
        raise UnsupportedShape(
            "256x16 in layout P gives 256 sums", f"{op.x.layout}, {op.y.layout}", "pad the batch to 256"
        )
    # TODO: about 27 lines.
    raise NotWritten("task 5.22 (ReduceSum over rows) is not written yet; check it with `grader check 5.22`")
