"""Task 5.11: UL of a 256x16 matrix, layout P: MAB 0's rows stream upwards, with L1BM and L2BM working at once."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.11", "UL 256x16 P")
def ul_256x16_p(op: Op) -> Iterator[str]:
    """Take a matrix of 256x16 elements, layout P (64 whole rows in a MAB), from LM to DRAM.

    x: in LM0 or LM1, layout ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1)), 256 words per PE; only copy 0 (MAB 0 of L1B 0 of
    L2B 0 of each group) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words; nothing
    else in DRAM may change. All bits arrive unchanged.
    Par: 26 steps and 1 MV.
    """
    if op.y.shape != (256, 16):
        raise UnsupportedShape("UL 256x16 takes a matrix of 256x16", f"shape {op.y.shape}", "pad the batch to 256")
    ### BEGIN SOLUTION
    # l1bmm@0 takes 4 rows, 32 long words, in a step; l2bm@0 passes on 64, in every second step. The two belong to
    # different units and may share a step; 3 steps must pass between an l1bmm@0 and the l2bm@0 of its long words.
    for step in range(19):
        units = [f"l1bmm@0 {op.x.double(16 * step)} $llb{32 * step}"] if step < 16 else []
        if step >= 4 and step % 2 == 0:
            units.append(f"l2bm@0 $lb{32 * (step - 4)} $lc{32 * (step - 4)}")
        yield "; ".join(units) or "nop"
    # Leaving the group out moves the same in all four groups at once.
    yield f"mvp/n512 $lc0@.0 {op.y.dram()}"
    ### END SOLUTION
