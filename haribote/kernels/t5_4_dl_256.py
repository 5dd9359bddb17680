"""Task 5.4: DL 256.

It is taught in notebooks/05_mncore_ops/03_rows, section 2.
Check it with `grader check 5.4`; if you are stuck, `grader hint 5.4`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.4", "DL 256")
def dl_256(op: Op) -> Iterator[str]:
    """Bring a vector of 256 elements from DRAM to LM.

    x: in DRAM, elements 64g to 64g+63 in group g, 32 long words each; the address is a multiple of 64 long words, and
    64 long words may be read.
    y: in LM0 or LM1, layout ((4_L2B:2, 32:1, 2_W:1)), 64 words per PE, in every copy: all L1B, MAB and PE of L2B 0 of
    each group; what L2B 1 holds at y afterwards does not matter. y's address is a multiple of 4 words; no other word
    of LM may change. All bits arrive unchanged (the labels of OneHot are int32).
    Par: 10 steps and 1 MV.
    """
    if op.x.shape not in ((256,), (256, 1)):
        raise UnsupportedShape("DL 256 takes a vector of 256 elements", f"shape {op.x.shape}", "pad the batch to 256")
    # TODO: about 5 lines.
    raise NotWritten("task 5.4 (DL 256) is not written yet; check it with `grader check 5.4`")
