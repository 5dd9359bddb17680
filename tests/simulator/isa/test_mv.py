"""MV instructions against the index formulas of isa.md, section 6, written as loops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator import AssemblyError, Machine, assemble
from tests.simulator.engine.machines import filled, run

N = 128  # two blocks of 64
GROUPS = range(4)
Longs = NDArray[np.uint64]


def dram(machine: Machine) -> list[Longs]:
    return [group[0:8192] for group in machine.dram]


@pytest.mark.parametrize(
    "operands",
    ["$p64@1 $d128@2", "$d64@3 $p128@0", "$p64@1 $lc128@2.1", "$lc64@2.1 $p128@3", "$d64@0 $lc128@3.1",
     "$lc64@1.0 $d128@2", "$p64@2 $p512@0"],
)  # fmt: skip
def test_mvp_copies_between_groups(operands: str) -> None:
    def locate(machine: Machine, text: str) -> Longs:
        place, _, unit = text.partition("@")
        if place.startswith("$lc"):
            group, _, l2b = unit.partition(".")
            return machine.l2bm[2 * int(group) + int(l2b), int(place[3:]) :][:N]
        if place.startswith("$p"):
            return machine.pdm[int(unit), int(place[2:]) :][:N]
        return machine.dram[int(unit)][int(place[2:]) : int(place[2:]) + N]

    machine = filled()
    source, destination = operands.split()
    expected = locate(machine, source).copy()
    run(machine, f"mvp/n{N} {operands}")
    assert (locate(machine, destination) == expected).all()


def test_mvp_without_groups_copies_in_each() -> None:
    machine = run(filled(), f"mvp/n{N} $d64 $lc128@.1", f"mvp/n{N} $lc256@.0 $p64", f"mvp/n{N} $p1024 $d4096")
    for g in GROUPS:
        assert (machine.l2bm[2 * g + 1, 128 : 128 + N] == machine.dram[g][64 : 64 + N]).all()
        assert (machine.pdm[g, 64 : 64 + N] == machine.l2bm[2 * g, 256 : 256 + N]).all()
        assert (machine.dram[g][4096 : 4096 + N] == machine.pdm[g, 1024 : 1024 + N]).all()


def test_mvb_from_pdm_reaches_all_l2bms() -> None:
    machine = run(filled(), f"mvb/n{N} $p64@2 $lc128")
    for l2b in range(8):
        assert (machine.l2bm[l2b, 128 : 128 + N] == machine.pdm[2, 64 : 64 + N]).all()


def test_mvb_from_dram_concatenates_the_groups() -> None:
    machine = run(filled(), f"mvb/n{N} $d64 $lc128")
    source = dram(machine)
    for l2b, i, g, k in product(range(8), range(N // 64), GROUPS, range(16)):
        assert machine.l2bm[l2b, 128 + 64 * i + 16 * g + k] == source[g][64 + 16 * i + k]


def test_mvb2_reaches_both_l2bms_of_each_group() -> None:
    machine = run(filled(), f"mvb2/n{N} $d64 $lc128")
    for l2b in range(8):
        assert (machine.l2bm[l2b, 128 : 128 + N] == machine.dram[l2b // 2][64 : 64 + N]).all()


def test_mvb4_interleaves_groups_and_l2bs() -> None:
    machine = run(filled(), f"mvb4/n{N} $d64 $lc128")
    source = dram(machine)
    for group, low, i, g, k in product(GROUPS, range(2), range(N // 64), GROUPS, range(16)):
        got = machine.l2bm[2 * group + low, 128 + 64 * i + 16 * g + k]
        assert got == source[g][64 + 32 * i + 16 * low + k]


def test_mvd_between_pdm_and_drams() -> None:
    machine = run(filled(), f"mvd/n{N} $p64@3 $d128")
    target = dram(machine)
    for i, g, k in product(range(N // 64), GROUPS, range(16)):
        assert target[g][128 + 16 * i + k] == machine.pdm[3, 64 + 64 * i + 16 * g + k]
    run(machine, f"mvd/n{N} $d256 $p512@1")
    for i, g, k in product(range(N // 64), GROUPS, range(16)):
        assert machine.pdm[1, 512 + 64 * i + 16 * g + k] == target[g][256 + 16 * i + k]


def test_mvd_between_pdm_and_l2bms() -> None:
    machine = run(filled(), f"mvd/n{N} $p64@3 $lc128", f"mvd/n{N} $lc1024 $p8192@1")
    for b, i, k in product(range(8), range(N // 16), range(16)):
        assert machine.l2bm[b, 128 + 16 * i + k] == machine.pdm[3, 64 + 128 * i + 16 * b + k]
        assert machine.pdm[1, 8192 + 128 * i + 16 * b + k] == machine.l2bm[b, 1024 + 16 * i + k]


def total(values: list[int]) -> int:
    return sum(values) % (1 << 64)


def test_mvr_combines_all_l2bms() -> None:
    machine = run(filled(), f"mvrliadd/n{N} $lc64 $p128@2", f"mvrliadd/n{N} $lc64 $d256")
    sums = [total([int(machine.l2bm[b, 64 + x]) for b in range(8)]) for x in range(N)]
    assert machine.pdm[2, 128 : 128 + N].tolist() == sums
    target = dram(machine)
    for i, g, k in product(range(N // 64), GROUPS, range(16)):
        assert target[g][256 + 16 * i + k] == sums[64 * i + 16 * g + k]


def test_mvr2_combines_the_l2bms_of_each_group() -> None:
    machine = run(filled(), f"mvr2liadd/n{N} $lc64 $d256")
    for g, x in product(GROUPS, range(N)):
        expected = total([int(machine.l2bm[2 * g + c, 64 + x]) for c in range(2)])
        assert machine.dram[g][256 + x : 257 + x][0] == expected


def test_mvr4_combines_the_groups() -> None:
    machine = run(filled(), f"mvr4liadd/n{N} $lc64 $d256")
    target = dram(machine)
    for low, i, g, k in product(range(2), range(N // 64), GROUPS, range(16)):
        x = 64 + 64 * i + 16 * g + k
        expected = total([int(machine.l2bm[2 * group + low, x]) for group in GROUPS])
        assert target[g][256 + 32 * i + 16 * low + k] == expected


def test_mvr_sums_singles_in_two_stages() -> None:
    """2^24 + 1 + 1 in one exact sum is 2^24 + 2; the pair (2^24, 1) rounds its 1 away first, unlike (1, 0)."""
    machine = Machine()
    values = [2.0**24, 1, 1, 0, 0, 0, 0, 0]
    for l2b, value in enumerate(values):
        machine.l2bm[l2b, 0] = int(np.float32(value).view(np.uint32)) << 32
    run(machine, "mvrffadd/n64 $lc0 $p0@0")
    assert machine.pdm[0, 0] >> np.uint64(32) == int(np.float32(2.0**24).view(np.uint32))


def test_addresses_past_the_end_wrap_around() -> None:
    machine = Machine()
    machine.pdm[0, -32:] = 1
    machine.pdm[0, :32] = 2
    run(machine, f"mvp/n64 $p{524288 - 32}@0 $d{2**29 - 16}@1")
    assert machine.dram[1][2**29 - 16 : 2**29].tolist() == [1] * 16
    assert machine.dram[1][0:48].tolist() == [1] * 16 + [2] * 32


def test_mvnop_does_nothing() -> None:
    assert Machine().run(assemble("mvnop")).mv == 1


@pytest.mark.parametrize("operands", ["$lc0@1.0 $p0", "$p0@1 $lc0@.0", "$d0 $p0@2", "$p0@1 $p64"])
def test_a_group_is_named_on_both_sides_or_on_neither(operands: str) -> None:
    with pytest.raises(AssemblyError, match="does not move from"):
        assemble(f"mvp/n64 {operands}")


@pytest.mark.parametrize(("line", "limit"), [("mvp/n65536 $p0@0 $lc0@0.0", 32768), ("mvp/n1048576 $p0 $d0", 524288)])
def test_no_memory_is_asked_for_more_than_it_has(line: str, limit: int) -> None:
    with pytest.raises(AssemblyError, match=f"use n{limit} or less"):
        assemble(line)
