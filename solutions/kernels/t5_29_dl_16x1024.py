"""Task 5.29: DL of a 16x1024 matrix: each row is dealt out over the L1Bs and MABs, the same in every L2B."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.29", "DL 16x1024")
def dl_16x1024(op: Op) -> Iterator[str]:
    """Bring a matrix of 16x1024 elements from DRAM to every L2B, each row spread over the PEs of the L2B.

    x: in DRAM, rows 4g to 4g+3 in group g, 2048 long words each; the address is a multiple of 64 long words.
    y: in LM0 or LM1, layout ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 32 words per PE, in every
    copy: all L2B. y's address is a multiple of 4 words; no other word of LM may change. All bits arrive unchanged.
    Par: 36 steps and 5 MV.
    """
    if op.x.shape != (16, 1024):
        raise UnsupportedShape("DL 16x1024 takes a matrix of 16x1024", f"shape {op.x.shape}", "cut it into such pieces")
    ### BEGIN SOLUTION
    # Every group fills its own PDM at once (one MV, and no traffic between groups), then each PDM is broadcast.
    yield f"mvp/n2048 {op.x.dram()} $p0"
    for group in range(4):
        yield f"mvb/n2048 $p0@{group} $lc{2048 * group}"
    # l2bmd moves half a row, 256 long words: block b of every 8 blocks of 8 goes to L1B b, so that a row leaves 64 long
    # words in each. l1bmd deals 4 rows out to the 16 MABs, one row per cycle, and shares the step of a later l2bmd; one
    # step must pass between the last half row and the l1bmd that takes it.
    halves = 2 * 16
    for step in range(halves + 2):
        units = [f"l2bmd $lc{256 * step} $lb{32 * step}"] if step < halves else []
        if step > 8 and step % 8 == 1:
            row = step // 2 - 4
            units.append(f"l1bmd $lb{64 * row} {op.y.long(2 * row)}")
        yield "; ".join(units) or "nop"
    ### END SOLUTION
