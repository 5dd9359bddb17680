"""`d set` on the machine: which units and entries it writes."""

from __future__ import annotations

import numpy as np

from simulator import Machine, assemble


def test_set_writes_every_matching_unit() -> None:
    m = Machine()
    m.run(
        assemble(
            "d set $lm4n1c0b2p3 2 0000000100000002l0000000300000004\n"
            "d set $lt2 1 0000000500000006\n"
            "d set $lb7n3 1 0000000000000009\n"
            "d set $lc8n2c1 1 000000000000000A\n"
            "d set $p9 1 000000000000000B\n"
            "r 3 00000000A 002 000000000000000C000000000000000D\n"
        )
    )
    pe = np.arange(4096)
    chosen = (pe // 512 == 2) & (pe // 64 % 8 == 2) & (pe % 4 == 3)
    assert (m.lm0[4:8, chosen] == [[1], [2], [3], [4]]).all()
    assert not m.lm0[:, ~chosen].any()
    assert (m.t[2, :2] == [[5], [6]]).all()
    assert (m.l1bm[6:, :, 7] == 9).all() and not m.l1bm[:6].any()
    assert m.l2bm[:, 8].tolist() == [0, 0, 0, 0, 0, 10, 0, 0]
    assert m.pdm[:, 9].tolist() == [11] * 4
    assert m.dram[3][10:12].tolist() == [12, 13]


def test_set_writes_mask_entries() -> None:
    m = Machine()
    lines = (
        "d set $omr3n1p2 2 000000000000F731 FFFFFFFFFFFF8421\nd get $omr3n1c0b0m0p2 2\nd set $omr15 1 0000000000000001"
    )
    result = m.run(assemble(lines))
    assert [line.partition(":")[2].partition(" ")[0] for line in result.dump] == [
        f"Mask{{{flags}}}" for flags in (15, 7, 3, 1, 8, 4, 2, 1)
    ]
    pe = np.arange(4096)
    chosen = (pe // 1024 == 1) & (pe % 4 == 2)
    assert (m.omr[3].sum(axis=(0, 1)) == np.where(chosen, 10, 0)).all()
    assert m.omr[15, 3, 3].all() and m.omr[15].sum() == 4096
