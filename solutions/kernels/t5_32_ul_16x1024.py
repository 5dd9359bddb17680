"""Task 5.32: UL of a 16x1024 matrix: rows spread over one L2B's PEs are put together again, half a row per step."""

from __future__ import annotations

from collections.abc import Iterator

from haribote.errors import UnsupportedShape
from haribote.kernel import Op, kernel


@kernel("5.32", "UL 16x1024")
def ul_16x1024(op: Op) -> Iterator[str]:
    """Take a matrix of 16x1024 elements from LM to DRAM.

    x: in LM0 or LM1, layout ((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1)), 32 words per PE; only copy 0
    (L2B 0) is certain to be there. x's address is a multiple of 4 words; LM may not change.
    y: in DRAM, rows 4g to 4g+3 in group g, 2048 long words each; the address is a multiple of 64 long words; nothing
    else in DRAM may change. All bits arrive unchanged.
    Par: 39 steps and 4 MV.
    """
    if op.y.shape != (16, 1024):
        raise UnsupportedShape("UL 16x1024 takes a matrix of 16x1024", f"shape {op.y.shape}", "cut it into such pieces")
    ### BEGIN SOLUTION
    # l1bmd collects 4 rows from the 16 MABs, one row per cycle: 64 long words of each row in every L1BM. l2bmd puts
    # half a row together from the eight L1BM, blocks of 8 from each in turn. It may start after two steps, in which the
    # next rows are collected already, and the last l1bmd shares its first step.
    collect = [f"l1bmd {op.x.long(2 * row)} $lb{64 * row}" for row in range(0, 16, 4)]
    yield from collect[:3]
    for half in range(32):
        combine = f"l2bmd $lb{32 * half} $lc{256 * half}"
        yield f"{collect[3]}; {combine}" if half == 0 else combine
        if half % 8 == 7:  # the four rows of a group are complete
            group = half // 8
            yield f"mvp/n2048 $lc{2048 * group}@0.0 {op.y.dram()}@{group}"
    ### END SOLUTION
