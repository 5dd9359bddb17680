"""Task 5.31: DL of a 1024x16 matrix: layout A's distribution, four times as long, L2BM and L1BM working at once."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.31", "DL 1024x16")
def dl_1024x16(op: Op) -> Iterator[str]:
    """Bring a matrix of 1024x16 elements from DRAM to LM, 16 rows in each MAB.

    x: in DRAM, rows 256g to 256g+255 in group g, 2048 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 16:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1)), 64 words per PE, in every copy: all MAB.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 11 steps and MV together.
    """
    if op.x.shape != (1024, 16):
        raise UnsupportedShape("DL 1024x16 takes a matrix of 1024x16", f"shape {op.x.shape}", "cut it into such pieces")
    ### BEGIN SOLUTION
    # Half of a group's rows go to each of its two L2BM; leaving the group out does so in all four groups at once.
    yield f"mvp/n1024 {op.x.dram()} $lc0@.0"
    yield f"mvp/n1024 {op.x.dram(1024)} $lc0@.1"
    # l2bmd gives every L1B 4 rows (of 8 consecutive rows, row b to L1B b), l1bmm gives these 4 rows to the PEs. The two
    # belong to different units and may share a step; what l1bmm takes was brought two steps before.
    for step in range(6):
        units = [f"l2bmd $lc{256 * step} $lb{32 * step}"] if step < 4 else []
        if step >= 2:
            units.append(f"l1bmm $llb{32 * (step - 2)} {op.y.double(16 * (step - 2))}")
        yield "; ".join(units)
    ### END SOLUTION
