"""Task 5.3: DL 256x16 A.

It is taught in notebooks/05_mncore_ops/01_down_and_up, section 3.
Check it with `grader check 5.3`; if you are stuck, `grader hint 5.3`.
"""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import NotWritten, UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.3", "DL 256x16 A")
def dl_256x16_a(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x16 elements from DRAM to LM, layout A.

    x: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)), 16 words per PE, in every copy: all MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 3 steps and 2 MV.
    """
    if op.x.shape != (256, 16):
        raise UnsupportedShape("DL 256x16 takes a matrix of 256x16", f"shape {op.x.shape}", "pad the batch to 256")
    # TODO: about 5 lines.
    raise NotWritten("task 5.3 (DL 256x16 A) is not written yet; check it with `grader check 5.3`")
