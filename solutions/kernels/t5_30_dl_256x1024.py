"""Task 5.30: DL of a 256x1024 matrix: 32 rows per L2B, each row dealt out over its L1Bs and MABs."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.30", "DL 256x1024")
def dl_256x1024(op: Op) -> Iterator[str]:
    """Bring a matrix of 256x1024 elements from DRAM to LM, 32 rows per L2B, each row spread over the PEs of the L2B.

    x: in DRAM, rows 64g to 64g+63 in group g, 32768 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 64 words per PE; no copies.
    y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 72 steps and 2 MV.
    """
    if op.x.shape != (256, 1024):
        raise UnsupportedShape("DL 256x1024 takes just that matrix", f"shape {op.x.shape}", "cut it into such pieces")
    ### BEGIN SOLUTION
    # Half of a group's rows go to each of its two L2BM; leaving the group out does so in all four groups at once.
    yield f"mvp/n16384 {op.x.dram()} $lc0@.0"
    yield f"mvp/n16384 {op.x.dram(16384)} $lc0@.1"
    # l2bmd moves half a row, 256 long words: block b of every 8 blocks of 8 goes to L1B b, so that a row leaves 64 long
    # words in each. l1bmd deals 4 rows out to the 16 MABs, one row per cycle, and shares the step of a later l2bmd; one
    # step must pass between the last half row and the l1bmd that takes it.
    halves = 2 * 32
    for step in range(halves + 2):
        units = [f"l2bmd $lc{256 * step} $lb{32 * step}"] if step < halves else []
        if step > 8 and step % 8 == 1:
            row = step // 2 - 4
            units.append(f"l1bmd $lb{64 * row} {op.y.long(2 * row)}")
        yield "; ".join(units) or "nop"
    ### END SOLUTION
