"""Task 5.6: DL of a 256x16 matrix, layout B: broadcast inside each L2B, with L2BM and L1BM working at once."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.6", "DL 256x16 B")
def dl_256x16_b(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x16 elements from DRAM to LM, layout B: 32 whole rows in each MAB.

    x: in DRAM, rows 64g to 64g+63 in group g, 512 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1)), 128 words per PE, in every copy: all L1B and MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 25 steps and 2 MV.
    """
    if op.x.shape != (256, 16):
        raise UnsupportedShape("DL 256x16 takes a matrix of 256x16", f"shape {op.x.shape}", "pad the batch to 256")
    ### BEGIN SOLUTION
    # Each L2BM holds only the 32 rows of its own L2B, so half the work of layout P is left.
    yield f"mvp/n256 {op.x.dram()} $lc0@.0"
    yield f"mvp/n256 {op.x.dram(256)} $lc0@.1"
    # l2bmb fills 64 long words of each L1BM, l1bmm gives 32 of them, 4 rows, to the PEs. The two belong to different
    # units and may share a step, so with a lead of two steps the filling costs nothing more.
    for step in range(2 + 8):
        units = [f"l2bmb $lc{64 * step} $lb{64 * step}"] if step < 4 else []
        if step >= 2:
            units.append(f"l1bmm $llb{32 * (step - 2)} {op.y.double(16 * (step - 2))}")
        yield "; ".join(units)
    ### END SOLUTION
