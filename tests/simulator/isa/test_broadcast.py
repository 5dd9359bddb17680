"""L2BM transfers against the index formulas of isa.md, section 7, written as loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from simulator import Machine
from tests.simulator.engine.machines import B, filled, run

L2BS = range(8)
CYCLES = range(4)


@pytest.mark.parametrize(("at", "l1bs"), [("", range(8)), ("@3", [3]), ("@2/5", [2, 3, 6, 7]), ("@0,4", [0, 4])])
def test_l2bmb_and_its_sets(at: str, l1bs: list[int]) -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, f"l2bmb{at} $lc16 $lb32")
    for l2b, b, c, j in product(L2BS, range(B), CYCLES, range(16)):
        address = 32 + 16 * c + j
        expected = machine.l2bm[l2b, 16 + 16 * c + j] if b in l1bs else before[l2b, b, address]
        assert machine.l1bm[l2b, b, address] == expected


def test_l2bmb2_gives_pairs_the_same() -> None:
    machine = run(filled(), "l2bmb2 $lc64 $lb32")
    for l2b, b, c, j in product(L2BS, range(B), CYCLES, range(16)):
        assert machine.l1bm[l2b, b, 32 + 16 * c + j] == machine.l2bm[l2b, 64 + 64 * c + 16 * (b // 2) + j]


def test_l2bmd_deals_out() -> None:
    machine = run(filled(), "l2bmd $lc64 $lb40")
    for l2b, b, c, k in product(L2BS, range(B), CYCLES, range(8)):
        assert machine.l1bm[l2b, b, 40 + 8 * c + k] == machine.l2bm[l2b, 64 + 64 * c + 8 * b + k]


def test_l2bmd_gathers() -> None:
    machine = run(filled(), "l2bmd $lb40 $lc64")
    for l2b, b, c, k in product(L2BS, range(B), CYCLES, range(8)):
        assert machine.l2bm[l2b, 64 + 64 * c + 8 * b + k] == machine.l1bm[l2b, b, 40 + 8 * c + k]


def test_l2bm_sends_one_l1b() -> None:
    machine = run(filled(), "l2bm@5 $lb32 $lc16")
    for l2b, i in product(L2BS, range(64)):
        assert machine.l2bm[l2b, 16 + i] == machine.l1bm[l2b, 5, 32 + i]


@pytest.mark.parametrize(("at", "l1bs"), [("", range(8)), ("@1/6", [1, 3, 5, 7])])
def test_l2bmr_combines_a_set(at: str, l1bs: list[int]) -> None:
    machine = run(
        filled(), f"l2bmrliadd{at} $lb32 $lc16", f"l2bmriband{at} $lb32 $lc128", f"l2bmrland{at} $lb32 $lc256"
    )
    for l2b, i in product(L2BS, range(64)):
        values = [int(machine.l1bm[l2b, b, 32 + i]) for b in l1bs]
        assert machine.l2bm[l2b, 16 + i] == sum(values) % (1 << 64)
        assert machine.l2bm[l2b, 128 + i] == np.bitwise_and.reduce(np.array(values, np.uint64))
        assert machine.l2bm[l2b, 256 + i] == all(values)


def test_l2bmr_finds_the_largest_and_smallest_of_a_set() -> None:
    machine = Machine()
    machine.l1bm[:, :, 0] = np.arange(8, dtype=np.float64).view(np.uint64)  # L1B b holds the double b
    run(machine, "l2bmrdmax@4/3 $lb0 $lc0", "l2bmrdmin@4/3 $lb0 $lc16")
    assert (machine.l2bm[:, 0].view(np.float64) == 7).all()
    assert (machine.l2bm[:, 16].view(np.float64) == 4).all()


def test_a_set_of_one_is_combined_with_the_initial_values() -> None:
    machine = filled()
    source = machine.l1bm[:, 3, :64].copy()
    run(machine, "l2bmrlor@3 $lb0 $lc0")
    np.testing.assert_array_equal(machine.l2bm[:, :64], source != 0)


def test_l2bmr2_combines_pairs() -> None:
    machine = run(filled(), "l2bmr2sbor $lb32 $lc64")
    for l2b, q, c, j in product(L2BS, range(4), CYCLES, range(16)):
        address = 32 + 16 * c + j
        expected = machine.l1bm[l2b, 2 * q, address] | machine.l1bm[l2b, 2 * q + 1, address]
        assert machine.l2bm[l2b, 64 + 64 * c + 16 * q + j] == expected


@pytest.mark.parametrize(("at", "free", "sources"), [("@3", 0, [3]), ("@2/5", 5, [2, 3, 6, 7]), ("@6/1", 1, [6, 7])])
def test_l2bmi_copies_between_l1bs(at: str, free: int, sources: list[int]) -> None:
    machine = filled()
    before = machine.l1bm.copy()
    run(machine, f"l2bmi{at} $lb32 $lb128")
    for l2b, s, y, i in product(L2BS, sources, range(B), range(64)):
        if y & free == s & free:
            assert machine.l1bm[l2b, y, 128 + i] == before[l2b, s, 32 + i]


def test_addresses_past_the_end_wrap_around() -> None:
    machine = Machine()
    machine.l2bm[:, 32704:] = 1
    machine.l2bm[:, :192] = 2
    run(machine, "l2bmd $lc32704 $lb0")
    assert (machine.l1bm[:, :, :8] == 1).all()
    assert (machine.l1bm[:, :, 8:32] == 2).all()
