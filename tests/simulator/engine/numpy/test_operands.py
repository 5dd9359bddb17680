"""Reading and writing operands: addressing, masks, forwarding, base addresses, T (isa.md, sections 2, 5, 10.1)."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Machine
from tests.simulator.engine.machines import filled, run

SUBPE = np.arange(4096) % 4


@pytest.mark.parametrize(
    ("operand", "addresses"),
    [
        ("$m3", [3, 3, 3, 3]),
        ("$m3v", [3, 4, 5, 6]),
        ("$m3v4", [3, 7, 11, 15]),
        ("$m[9,2,2,0]", [9, 2, 2, 0]),
        ("$lm4", [4, 4, 4, 4]),
        ("$lm4v", [4, 6, 8, 10]),
        ("$lm4v8", [4, 12, 20, 28]),
        ("$lm[8,0,4,8]", [8, 0, 4, 8]),
        ("$llm4v", [4, 8, 12, 16]),
        ("$llm[16,0,0,8]", [16, 0, 0, 8]),
    ],
)
def test_addresses_of_each_cycle(operand: str, addresses: list[int]) -> None:
    width = {"m": 1, "lm": 2, "llm": 4}[operand.lstrip("$").rstrip("0123456789v[],")]
    machine = filled()
    run(machine, f"lpassa {operand} $llr0v")
    read = machine.grf0[:16].reshape(4, 4, -1)
    for cycle, address in enumerate(addresses):
        assert (read[cycle, :width] == machine.lm0[address : address + width]).all()
        assert not read[cycle, width:].any()
    data = machine.lm1[:16].reshape(4, 4, -1).copy()
    before = machine.lm0[:64].copy()
    run(machine, f"lpassa $lln0v {operand}")
    for cycle, address in enumerate(addresses):
        before[address : address + width] = data[cycle, :width]
    assert (machine.lm0[:64] == before).all()


def test_a_step_reads_everything_before_it_writes() -> None:
    machine = filled()
    machine.grf0[:8] = np.arange(1, 9, dtype=np.float32).view(np.uint32)[:, None]
    old = machine.grf0[:8].copy()
    run(machine, "lpassa $lm0v $lr0v; fvpassa $lr0v $ls0v")
    assert (machine.grf0[:8] == machine.lm0[:8]).all()
    assert (machine.grf1[:8] == old).all()


def test_results_do_not_follow_later_writes_of_their_source() -> None:
    machine = filled()
    old = machine.lm1[:8].copy()
    run(machine, "lpassa $ln0v $lr0v", "noforward; zero $ln0v", "lpassa $aluf $ls0v")
    assert not machine.lm1[:8].any()
    assert (machine.grf0[:8] == old).all()
    assert (machine.grf1[:8] == old).all()


def test_several_destinations_get_the_same() -> None:
    machine = run(filled(), "lpassa $lm0v $lr0v $ls8v $ln[6,4,2,0] $t")
    source = machine.lm0[:8].reshape(4, 2, -1)
    assert (machine.grf0[:8].reshape(4, 2, -1) == source).all()
    assert (machine.grf1[8:16].reshape(4, 2, -1) == source).all()
    assert (machine.lm1[:8].reshape(4, 2, -1)[::-1] == source).all()
    assert (machine.t[:, :2] == source).all()
    assert not machine.t[:, 2:].any()


def test_fixed_addresses_keep_the_last_cycle() -> None:
    machine = run(filled(), "lpassa $lm0v $lr8")
    assert (machine.grf0[8:10] == machine.lm0[6:8]).all()


def test_j_moves_the_first_pes_on() -> None:
    machine = filled()
    before = machine.lm1[:16].copy()
    run(machine, "lpassa $lm0vj1 $lr0v", "lpassa $lm16v $ln0vj2")
    for pe in range(8):
        ahead = 2 if SUBPE[pe] <= 1 else 0
        assert (machine.grf0[:8, pe] == machine.lm0[ahead : ahead + 8, pe]).all()
        ahead = 2 if SUBPE[pe] <= 2 else 0
        before[ahead : ahead + 8, pe] = machine.lm0[16:24, pe]
    assert (machine.lm1[:16, :8] == before[:, :8]).all()


def test_t_moves_the_address_of_each_pe_and_cycle() -> None:
    machine = filled()
    rng = np.random.default_rng(5)
    offsets = rng.integers(0, 20, (4, 4096))
    machine.t[:, 1] = offsets | 0xABC000  # only the low 12 bits count
    before = machine.lm0.copy()
    run(machine, "lpassa $lmt4v $lr0v")
    for cycle in range(4):
        address = (4 + 2 * cycle + offsets[cycle]) & ~1  # run-time addresses are rounded down
        for word in range(2):
            assert (machine.grf0[2 * cycle + word] == before[address + word, np.arange(4096)]).all()
    machine.grf0[40] = 9
    run(machine, "ipassa $r40 $mt2000")
    for pe in (0, 77, 4095):
        written = {2000 + int(offset) for offset in offsets[:, pe]}
        assert {address for address in range(2000, 2020) if machine.lm0[address, pe] == 9} == written


def test_writes_through_t_use_the_old_t() -> None:
    machine = Machine()
    machine.t[:, 1] = 100
    machine.grf0[0] = 5
    run(machine, "lpassa $r0 $t $mt0")
    assert (machine.lm0[100] == 5).all()
    assert not machine.lm0[5].any()


def test_base_addresses_move_lm_accesses_and_wrap() -> None:
    machine = filled()
    run(
        machine,
        'imm i"0x500a" $mb',
        "lpassa $lm0v $lr0v",
        "lpassa $lm4090v $lr8v",
        'imm i"6" $lnb',
        "lpassa $lr0v $ln0v",
    )
    assert (machine.bar0 == 10).all()
    assert (machine.bar1 == 6).all()
    assert (machine.grf0[:8] == machine.lm0[10:18]).all()
    assert (machine.grf0[8:16] == machine.lm0[4:12]).all()
    assert (machine.lm1[6:14] == machine.grf0[:8]).all()


def test_long_base_address_takes_the_low_word() -> None:
    machine = Machine()
    machine.grf0[0], machine.grf0[1] = 3, 0x1004
    run(machine, "lpassa $lr0 $lmb", "lpassa $lr0 $nb")
    assert (machine.bar0 == 4).all()
    assert (machine.bar1 == 3).all()


# --- forwarding ------------------------------------------------------------------------------------------------------


def test_paths_hold_the_whole_result_over_nops() -> None:
    machine = run(filled(), "lpassa $llm0v $r40", "nop/3", "lpassa $aluf $lls0v")
    assert (machine.grf1[:16] == machine.lm0[:16]).all()


def test_paths_ignore_write_masks_but_not_the_zero_flush() -> None:
    machine = filled()
    run(machine, "lpassa $lm0v $lr0v/1000", "lpassa $aluf $ls0v", "lpassa/0110 $lm0v $lr16v", "lpassa $aluf $ls16v")
    assert (machine.grf1[:8] == machine.lm0[:8]).all()
    flushed = machine.lm0[:8].copy()
    flushed[:2] = flushed[6:] = 0
    assert (machine.grf0[16:24] == flushed).all()
    assert (machine.grf1[16:24] == flushed).all()


def test_every_unit_feeds_its_path() -> None:
    machine = filled()
    machine.lm0[:8] = np.float32(1.5).view(np.uint32)
    run(machine, "fvadd $lm0v $lm0v $nowrite; l1bmm $lb0 $lr32v; zero $nowrite", "lpassa $mauf $lr0v")
    assert (machine.grf0[:8] == np.float32(3).view(np.uint32)).all()
    run(machine, "l1bmm $lb0 $lr32v", "lpassa $lbf $ls0v")
    assert (machine.grf1[:8] == machine.grf0[32:40]).all()
    run(machine, "fmwrite $lm0v $lx0", "fmread $lx0 $ls16v", "lpassa $mreadf $ls8v")
    assert (machine.grf1[8:16] == machine.grf1[16:24]).all()


# --- masks -----------------------------------------------------------------------------------------------------------


def flagged() -> Machine:
    """Entry 3 of the mask register has random flags."""
    machine = filled()
    machine.omr[3] = np.random.default_rng(9).integers(0, 2, (4, 4, 4096)) != 0
    return machine


def test_cycle_patterns_name_cycle_0_first() -> None:
    machine = filled()
    before = machine.grf0[:8].copy()
    run(machine, "lpassa $lm0v $lr0v/1010")
    before[0:2], before[4:6] = machine.lm0[0:2], machine.lm0[4:6]
    assert (machine.grf0[:8] == before).all()


@pytest.mark.parametrize("destination", ["$lr0v", "$t"])
def test_flags_guard_the_halves_of_long_word_0(destination: str) -> None:
    machine = flagged()
    target = machine.t if destination == "$t" else machine.grf0[:8].reshape(4, 2, -1)
    expected = target.copy()
    source = machine.lm0[:8].reshape(4, 2, -1)
    run(machine, f"lpassa $lm0v {destination}/$imr3")
    for cycle in range(4):
        for flag in range(4):
            word, bits = flag // 2, np.uint32(0xFFFF if flag % 2 else 0xFFFF0000)
            merged = expected[cycle, word] & ~bits | source[cycle, word] & bits
            expected[cycle, word] = np.where(machine.omr[3, cycle, flag], merged, expected[cycle, word])
    expected[:, 2:] = 0  # T has a long word 1, which is not masked
    assert (target == expected).all()


def test_words_take_the_first_two_flags() -> None:
    machine = flagged()
    before = machine.grf0[:4].copy()
    run(machine, "lpassa $m0v $r0v/$imr3")
    for cycle in range(4):
        high = np.where(machine.omr[3, cycle, 0], machine.lm0[cycle], before[cycle]) & 0xFFFF0000
        low = np.where(machine.omr[3, cycle, 1], machine.lm0[cycle], before[cycle]) & 0xFFFF
        assert (machine.grf0[cycle] == high | low).all()


def test_double_long_masks_guard_words() -> None:
    machine = flagged()
    before = machine.grf0[:16].reshape(4, 4, -1).copy()
    run(machine, "lpassa $llm0v $llr0v/$llimr3")
    source = machine.lm0[:16].reshape(4, 4, -1)
    assert (machine.grf0[:16].reshape(4, 4, -1) == np.where(machine.omr[3], source, before)).all()


def test_masks_apply_at_addresses_of_one_pe_too() -> None:
    machine = flagged()
    machine.omr[3] = machine.omr[3, :, :1]  # all four flags alike
    machine.t[:, 1] = np.arange(4096) % 7 * 2
    before = machine.lm0.copy()
    machine.grf0[40:42] = 1
    run(machine, "lpassa $lr40 $lmt100v/$imr3")
    for pe in (0, 5, 4000):
        for cycle in range(4):
            address = 100 + 2 * cycle + pe % 7 * 2
            if machine.omr[3, cycle, 0, pe]:
                before[address : address + 2, pe] = 1
        assert (machine.lm0[:, pe] == before[:, pe]).all()


def test_the_mask_statement_masks_what_it_names() -> None:
    machine = flagged()
    machine.omr[3] = False
    before = machine.grf0[:8].copy()
    run(machine, "maskrt 3", "lpassa $lm0v $lr0v $ls0v", "mask 0", "lpassa $lm0v $lr8v")
    assert (machine.grf0[:8] == before).all()
    assert (machine.grf1[:8] == machine.lm0[:8]).all()
    assert (machine.grf0[8:16] == machine.lm0[:8]).all()


def test_a_masked_write_clears_the_flags_it_excludes() -> None:
    machine = flagged()
    machine.omr[5:8] = True
    machine.grf0[40] = 0
    run(machine, "iinc $r40 $omr5/$imr3 ", "iinc $r40 $omr6/1010", "mask 0", "maskk 3", "iinc $r40 $omr7")
    assert (machine.omr[5] == machine.omr[3]).all()  # 1 in both words: every flag would become 1
    assert (machine.omr[6] == np.array([1, 0, 1, 0])[:, None, None]).all()
    assert (machine.omr[7] == machine.omr[3]).all()


def test_masks_are_read_before_they_are_written() -> None:
    machine = flagged()
    old = machine.omr[3].copy()
    machine.grf0[40] = 0
    before = machine.grf1[0:8].reshape(4, 2, -1).copy()
    run(machine, "ldec $r40 $omr3 $ls0v/$imr3")
    assert not machine.omr[3].any()
    high = np.where(old[:, 0::2], 0xFFFF0000, before & 0xFFFF0000)
    low = np.where(old[:, 1::2], 0xFFFF, before & 0xFFFF)
    assert (machine.grf1[0:8].reshape(4, 2, -1) == high | low).all()


def test_the_base_address_obeys_masks() -> None:
    machine = Machine()
    machine.grf0[:4] = np.arange(1, 5)[:, None]
    run(machine, "lpassa $r0v $mb/0110")
    assert (machine.bar0 == 3).all()


def test_zero_flush_by_written_flags() -> None:
    machine = flagged()
    run(machine, "iadd/$imr3 $lm0v $r60 $lr0v $omr4", "hvpassa/$imr3 $lm0v $lls0v")
    run(machine, "iadd $lm0v $r60 $lr16v $omr5", "hvpassa $lm0v $lls16v")
    unflushed = machine.grf0[16:24]
    halves = np.stack([unflushed >> 16, unflushed & 0xFFFF], axis=1).reshape(4, 4, -1)
    kept = np.where(machine.omr[3], halves, 0)
    assert (machine.grf0[:8].reshape(4, 2, -1) == kept[:, 0::2] << 16 | kept[:, 1::2]).all()
    assert (machine.omr[4] == machine.omr[5]).all()  # flags are those of the unflushed result
    singles = machine.grf1[16:32].reshape(4, 4, -1)
    assert (machine.grf1[:16].reshape(4, 4, -1) == np.where(machine.omr[3], singles, 0)).all()


def test_zero_flush_by_cycle_reaches_both_long_words() -> None:
    machine = run(filled(), "l1bmm/0100 $llb0 $llr0v", "l1bmm $llb0 $lls0v")
    flushed = machine.grf1[:16].copy()
    flushed[:4] = flushed[8:] = 0
    assert (machine.grf0[:16] == flushed).all()
