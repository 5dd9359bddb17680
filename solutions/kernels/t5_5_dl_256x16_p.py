"""Task 5.5: DL of a 256x16 matrix, layout P: broadcast to all MABs of a group, with L2BM and L1BM working at once."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
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
    ### BEGIN SOLUTION
    yield f"mvp/n512 {op.x.dram()} $lc0@.0"
    # l2bmb fills 64 long words of each L1BM, l1bmm gives 32 of them, 4 rows, to the PEs. The two belong to different
    # units and may share a step, so with a lead of two steps the filling costs nothing more.
    for step in range(2 + 16):
        units = [f"l2bmb $lc{64 * step} $lb{64 * step}"] if step < 8 else []
        if step >= 2:
            units.append(f"l1bmm $llb{32 * (step - 2)} {op.y.double(16 * (step - 2))}")
        yield "; ".join(units)
    ### END SOLUTION
