"""Task 5.1: DL 16.

It is taught in notebooks/05_mncore_ops/01_down_and_up, section 1.
Check it with `grader check 5.1`; if you are stuck, `grader hint 5.1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.1", "DL 16")
def dl_16(op: Op) -> Iterator[str]:
    """Bring a vector of 16 elements from DRAM to every MAB.

    x: in the DRAM of group 0, 8 long words; its address is a multiple of 64 long words, and 64 long words may be read.
    y: in LM0 or LM1, layout ((2:1, 4_PE:1, 2_W:1)), 4 words per PE, in every copy: all L2B, L1B and MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 3 steps and 2 MV.
    """
    if op.x.shape not in ((16,), (16, 1)):
        raise UnsupportedShape("DL 16 takes a vector of 16 elements", f"shape {op.x.shape}", "pad the vector to 16")
    # TODO: about 5 lines.
    raise NotWritten("task 5.1 (DL 16) is not written yet; check it with `grader check 5.1`")
