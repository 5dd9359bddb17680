"""L1BM transfers against the index formulas of isa.md, section 8, written as loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simulator import ExecutionError, Machine, assemble
from tests.simulator.engine.machines import M, P, filled, long_word, pe_index, run

L2BS = (0, 5)  # the formulas are the same in every L2B; two of them show that the units are kept apart
UNITS = list(product(L2BS, (0, 3, 7)))
CYCLES = range(4)


def test_l1bmp_gives_every_pe_the_same() -> None:
    for prefix, width in (("l", 1), ("ll", 2)):
        machine = filled()
        before = machine.l1bm.copy()
        run(machine, f"l1bmp ${prefix}b16 ${prefix}r0v")
        for (l2b, b), m, p, c, w in product(UNITS, (0, 15), range(P), CYCLES, range(width)):
            got = long_word(machine.grf0, 2 * (width * c + w), pe_index(l2b, b, m, p))
            assert got == before[l2b, b, 16 + 4 * w + c]


@pytest.mark.parametrize(("prefix", "width"), [("l", 1), ("ll", 2)])
def test_l1bmm_shares_out_4_per_mab(prefix: str, width: int) -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, f"l1bmm ${prefix}b32 ${prefix}r0v")
    for (l2b, b), m, p, c, w in product(UNITS, (0, 9), range(P), CYCLES, range(width)):
        got = long_word(machine.grf0, 2 * (width * c + w), pe_index(l2b, b, m, p))
        assert got == before[l2b, b, 32 + 4 * width * c + 4 * w + p]


@pytest.mark.parametrize(("prefix", "width"), [("l", 1), ("ll", 2)])
def test_l1bmm_sends_one_mab(prefix: str, width: int) -> None:
    machine = run(filled(), f"l1bmm@11 ${prefix}m0v ${prefix}b32")
    for (l2b, b), p, c, w in product(UNITS, range(P), CYCLES, range(width)):
        sent = long_word(machine.lm0, 2 * (width * c + w), pe_index(l2b, b, 11, p))
        assert machine.l1bm[l2b, b, 32 + 4 * width * c + 4 * w + p] == sent


@pytest.mark.parametrize(("prefix", "width"), [("l", 1), ("ll", 2)])
def test_l1bmm4_has_other_words_for_each_quarter(prefix: str, width: int) -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, f"l1bmm4 ${prefix}b64 ${prefix}r0v")
    for (l2b, b), m, p, c, w in product(UNITS, range(M), range(P), CYCLES, range(width)):
        got = long_word(machine.grf0, 2 * (width * c + w), pe_index(l2b, b, m, p))
        assert got == before[l2b, b, 64 + 16 * width * c + 4 * width * (m // 4) + 4 * w + p]


@pytest.mark.parametrize(("prefix", "width"), [("l", 1), ("ll", 2)])
def test_l1bmm4_sends_one_mab_of_each_quarter(prefix: str, width: int) -> None:
    machine = run(filled(), f"l1bmm4@2 ${prefix}m0v ${prefix}b64")
    for (l2b, b), q, p, c, w in product(UNITS, range(4), range(P), CYCLES, range(width)):
        sent = long_word(machine.lm0, 2 * (width * c + w), pe_index(l2b, b, 4 * q + 2, p))
        assert machine.l1bm[l2b, b, 64 + 16 * width * c + 4 * width * q + 4 * w + p] == sent


@pytest.mark.parametrize(("suffix", "n"), [("", 0), ("+3", 3), ("-5", -5)])
def test_l1bmd_to_the_pes(suffix: str, n: int) -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, f"l1bmd{suffix} $lb64 $lr0v")
    for (l2b, b), m, p, c in product(UNITS, range(M), range(P), CYCLES):
        got = long_word(machine.grf0, 2 * c, pe_index(l2b, b, m, p))
        assert got == before[l2b, b, 64 + 64 * c + 4 * ((m - n) % 16) + p]


@pytest.mark.parametrize(("suffix", "n"), [("", 0), ("+3", 3), ("-5", -5)])
def test_l1bmd_from_the_pes(suffix: str, n: int) -> None:
    machine = run(filled(), f"l1bmd{suffix} $lm0v $lb64")
    for (l2b, b), m, p, c in product(UNITS, range(M), range(P), CYCLES):
        sent = long_word(machine.lm0, 2 * c, pe_index(l2b, b, m, p))
        assert machine.l1bm[l2b, b, 64 + 64 * c + 4 * ((m + n) % 16) + p] == sent


def test_single_long_words_leave_the_second_one_zero() -> None:
    machine = run(filled(), "l1bmm $lb0 $llr0v")
    words = machine.grf0[:16].reshape(4, 4, -1)
    assert words[:, :2].any()
    assert not words[:, 2:].any()


@pytest.mark.parametrize(("prefix", "width"), [("l", 1), ("ll", 2)])
def test_l1bmr_combines_the_mabs(prefix: str, width: int) -> None:
    machine = run(filled(), f"l1bmribor ${prefix}m0v ${prefix}b32")
    for (l2b, b), p, c, w in product(UNITS, range(P), CYCLES, range(width)):
        expected = 0
        for m in range(M):
            expected |= long_word(machine.lm0, 2 * (width * c + w), pe_index(l2b, b, m, p))
        assert machine.l1bm[l2b, b, 32 + 4 * width * c + 4 * w + p] == expected


def test_l1bmr4_combines_4_mabs_of_each_quarter() -> None:
    machine = run(filled(), "l1bmr4liadd $lm0v $lb64")
    for (l2b, b), q, p, c in product(UNITS, range(4), range(P), CYCLES):
        expected = sum(long_word(machine.lm0, 2 * c, pe_index(l2b, b, 4 * q + k, p)) for k in range(4))
        assert machine.l1bm[l2b, b, 64 + 16 * c + 4 * q + p] == expected % (1 << 64)


def test_l1bmr_sums_singles_and_narrows() -> None:
    machine = Machine()
    pe = np.arange(4096)
    machine.lm0[0:8:2] = (pe // 4 % 16).astype(np.float32).view(np.uint32)  # the MAB's number in w0, all cycles
    machine.lm0[1:8:2] = np.float32(0.5).view(np.uint32)
    run(machine, "l1bmrffadd $lm0v $lb0", "l1bmrffaddr $lm0v $lb16")
    single = int(np.float32(120).view(np.uint32)) << 32 | int(np.float32(8).view(np.uint32))
    assert (machine.l1bm[:, :, :16] == single).all()
    # Halves 1-6-9 with bias 31: 120 = 1.875 * 2^6, 8 = 2^3; packed into the first word.
    half = ((31 + 6) << 9 | 0b111 << 6) << 16 | (31 + 3) << 9
    assert (machine.l1bm[:, :, 16:32] == half << 32).all()


def test_l1bmr_sums_halves_on_the_single_circuit() -> None:
    machine = Machine()
    half = 31 << 9  # 1.0
    machine.lm0[0:8:2] = half << 16 | (half + (1 << 9))  # halves 1.0 and 2.0 in w0
    run(machine, "l1bmrhfadd $lm0v $lb0")
    assert (machine.l1bm[:, :, :16] == ((31 + 4) << 9 << 48 | (31 + 5) << 9 << 32)).all()  # 16.0 and 32.0


# --- turnaround ------------------------------------------------------------------------------------------------------


def test_turnaround_replays_a_transfer() -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, "l1bmm@6 $llm0v $llbi", "nop", "l1bmm $llbi $llr0v")
    assert (machine.l1bm == before).all()
    for (l2b, b), m, p, c, w in product(UNITS, (0, 6, 15), range(P), CYCLES, range(2)):
        sent = long_word(machine.lm0, 2 * (2 * c + w), pe_index(l2b, b, 6, p))
        assert long_word(machine.grf0, 2 * (2 * c + w), pe_index(l2b, b, m, p)) == sent


def test_transfers_to_the_l1bm_also_fill_the_turnaround_register() -> None:
    machine = run(filled(), "l1bmrliadd $lm0v $lb0", "l1bmm $lbi $lr0v", "l1bmm $lb0 $ls0v")
    assert (machine.grf0[:8] == machine.grf1[:8]).all()
    assert machine.grf0[:8].any()


def test_the_shift_of_a_turnaround_pair_acts_once() -> None:
    machine = run(filled(), "l1bmd+2 $lm0v $lbi", "l1bmd+2 $lbi $lr0v")
    for (l2b, b), m, p, c in product(UNITS, range(M), range(P), CYCLES):
        sent = long_word(machine.lm0, 2 * c, pe_index(l2b, b, (m - 2) % 16, p))
        assert long_word(machine.grf0, 2 * c, pe_index(l2b, b, m, p)) == sent


def test_noforward_leaves_the_turnaround_register_and_paths() -> None:
    machine = run(
        filled(),
        "l1bmm@0 $lm0v $lbi",
        "noforward; l1bmm@1 $lm0v $lb0",
        "l1bmm $lbi $lr0v",
        "noforward; lpassa $lm8v $ls0v",
        "lpassa $lbf $ls8v",
    )
    assert long_word(machine.grf0, 0, pe_index(0, 0, 5, 2)) == long_word(machine.lm0, 0, pe_index(0, 0, 0, 2))
    assert (machine.grf1[:8] == machine.lm0[8:16]).all()
    assert (machine.grf1[8:16] == machine.grf0[:8]).all()


def test_a_turnaround_of_another_family_is_an_error() -> None:
    with pytest.raises(ExecutionError, match=r"x.vsm:2: the turnaround register holds a block of l1bmm"):
        Machine().run(assemble("l1bmm@0 $lm0v $lbi\nl1bmd $lbi $lr0v", "x.vsm"))
