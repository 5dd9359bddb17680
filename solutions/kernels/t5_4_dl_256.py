"""Task 5.4: DL of a vector of 256: every PE of a group gets the group's whole part, four long words per step."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    ### BEGIN SOLUTION
    yield f"mvp/n64 {op.x.dram()} $lc0@.0"
    yield "l2bmb $lc0 $lb0"
    yield "nop"
    # l1bmp gives one long word per cycle to every PE. Its $llb form moves two, c and c+4, but these do not lie side by
    # side in LM, where one cycle can write two long words only if they are neighbours; so it would gain nothing.
    for at in range(0, 32, 4):
        yield f"l1bmp $lb{at} {op.y.long(2 * at)}"
    ### END SOLUTION
