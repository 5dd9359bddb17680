"""Task 5.1: DL of a vector of 16: one group's DRAM to every PE of the chip, by two broadcasts and one distribution."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    ### BEGIN SOLUTION
    # Only the PDM can be broadcast to all eight L2BM, so the vector stops there on its way.
    yield f"mvp/n64 {op.x.dram()}@0 $p0@0"
    yield "mvb/n64 $p0@0 $lc0"
    yield "l2bmb $lc0 $lb0"
    yield "nop"
    # With $llb PE p receives long words p and 4+p of each row of 8. There is one row, so only cycle 0 may write.
    yield f"l1bmm $llb0 {op.y.double(stride=0)}/ll1000"
    ### END SOLUTION
