"""Where PEs stand in the field, and how bright they are, by programs whose values are known."""

from __future__ import annotations

import numpy as np

from haribote.share.field import BRIGHTEST, MEMORIES, field, places, used
from simulator import Machine, assemble
from simulator.effects.running import touches_of
from simulator.engine.state.contents import KINDS


def seen(text: str, machine: Machine) -> np.ndarray:
    """The field of the last line, [64, 64], after it was executed on the machine."""
    *before, last = text.strip().split("\n")
    machine.run(assemble("\n".join(before)))
    program = assemble(last)
    touches = touches_of(program.lines, machine)
    machine.run(program)
    return field(touches, machine).reshape(64, 64)


def by_pe(shown: np.ndarray) -> np.ndarray:
    return shown.reshape(-1)[places()]


def test_every_pe_has_a_place_of_its_own_beside_its_neighbours() -> None:
    found = places()
    assert sorted(found) == list(range(4096))
    rows, columns = np.divmod(found, 64)
    for size, (height, width) in {4: (2, 2), 64: (8, 8), 512: (32, 16), 1024: (32, 32)}.items():  # MAB, L1B, L2B, group
        for start in range(0, 4096, size):
            own = slice(start, start + size)
            assert np.ptp(rows[own]) == height - 1 and np.ptp(columns[own]) == width - 1


def test_a_pe_is_as_bright_as_its_value_is_large() -> None:
    machine = Machine("numpy")
    values = np.random.default_rng(0).uniform(0, 9, 4096).astype(np.float32)
    machine.lm0[0] = values.view(np.uint32)
    shown = by_pe(seen("lpassa $lm0v $ln0v", machine))
    order = np.argsort(values)
    assert (np.diff(shown[order].astype(int)) >= 0).all()
    assert shown.max() == BRIGHTEST and shown.min() >= 1
    assert (shown == by_pe(seen("lpassa $ln0v $lm0v", machine))).all()


def test_pes_that_take_no_part_are_dark() -> None:
    machine = Machine("numpy")
    shown = by_pe(seen('ipassa $peid $omr1\nnop/3\nimm f"2" $lr0v/$imr1', machine))
    written = machine.grf0[0] != 0
    assert 0 < written.sum() < 4096
    assert ((shown > 0) == written).all()


def test_words_above_the_pes_are_spread_over_those_below() -> None:
    machine = Machine("numpy")
    machine.write_dram(0, np.random.default_rng(0).uniform(1, 2, 2048).astype(np.float32))
    shown = by_pe(seen("mvp/n256 $d0 $lc0@.0", machine)).reshape(8, 512)
    assert not shown[1::2].any()  # in every group, one of its two L2Bs
    for l2b in range(0, 8, 2):
        longs = machine.l2bm[l2b, :256]
        words = np.stack([longs >> np.uint64(32), longs & np.uint64(0xFFFFFFFF)], axis=1).astype(np.uint32)
        values = words.reshape(-1).view(np.float32)
        assert (values >= 1).all() and len(set(shown[l2b])) > 3
        assert (np.diff(shown[l2b][np.argsort(values)].astype(int)) >= 0).all()


def test_a_line_that_touches_nothing_is_dark() -> None:
    assert not seen("nop/3", Machine("numpy")).any()


def test_memories_that_are_named_are_those_of_the_machine() -> None:
    names = [name for group in MEMORIES.values() for name in group]
    assert set(names) <= set(KINDS) and len(set(names)) == len(names)
    machine = Machine("numpy")
    reads, writes = used(touches_of(assemble("lpassa $lm0v $lr0v").lines, machine))
    order = list(MEMORIES)
    assert reads == 1 << order.index("LM0") and writes == 1 << order.index("GRF")
