"""Task 5.5: DL 256x16 P.

It is taught in notebooks/05_mncore_ops/03_rows, section 1.
Check it with `grader check 5.5`; if you are stuck, `grader hint 5.5`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.5", "DL 256x16 P")
def dl_256x16_p(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x16 elements from DRAM to LM, layout P: 64 whole rows in each MAB.

    x: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1)), 256 words per PE, in every copy: all L1B and MAB
    of L2B 0 of each group; what L2B 1 holds at y afterwards does not matter. y's address is a multiple of 4 words; no
    other word of LM may change. All bits arrive unchanged.
    Par: 25 steps and 1 MV.
    """
    if op.x.shape != (256, 16):
        raise UnsupportedShape("DL 256x16 takes a matrix of 256x16", f"shape {op.x.shape}", "pad the batch to 256")
    # TODO: about 6 lines.
    raise NotWritten("task 5.5 (DL 256x16 P) is not written yet; check it with `grader check 5.5`")
