"""The DRAM address table: filling it, and DRAM accesses through it, written as loops (isa.md, section 6)."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Machine
from tests.simulator.engine.machines import filled, run

GROUPS = range(4)


def with_table(entries: list[int]) -> Machine:
    """Distinct values in all memories; entry e of group g addresses unit entries[e] + g."""
    machine = filled()
    for g in GROUPS:
        machine.dar[g, : len(entries)] = np.array(entries) + g
    return machine


def test_entries_go_to_the_table_one_per_cycle() -> None:
    machine = filled()
    fetched = [[int(value) >> s & 0xFFFFFFFF for value in machine.l2bm[2 * g, 64:320] for s in (32, 0)] for g in GROUPS]
    run(machine, "l2bmdars $lc64 $dar1000")
    assert not machine.dar.any()
    for steps in range(1, 129):
        run(machine, "l2bmdarw")
        for g in GROUPS:
            written = [int(machine.dar[g, (1000 + i) % 1024]) for i in range(4 * steps)]
            assert written == fetched[g][: 4 * steps]
    assert not machine.dar[:, 488:1000].any()
    before = machine.dar.copy()
    run(machine, "l2bmdarw")  # the buffer is used up
    assert (machine.dar == before).all()


def test_a_fetch_beside_a_write_comes_after_it() -> None:
    machine = filled()
    run(machine, "l2bmdars $lc0 $dar0", "l2bmdarw; l2bmdars $lc256 $dar100", "l2bmdarw")
    for g in GROUPS:
        for base, address in ((0, 0), (100, 256)):
            longs = [int(value) for value in machine.l2bm[2 * g, address : address + 2]]
            assert machine.dar[g, base : base + 4].tolist() == [v >> s & 0xFFFFFFFF for v in longs for s in (32, 0)]
    assert np.count_nonzero(machine.dar) == 32


@pytest.mark.parametrize(("nd", "units"), [("", 1), ("nd1", 1), ("nd3", 3), ("nd8", 8)])
def test_each_entry_serves_for_nd_units(nd: str, units: int) -> None:
    entries = [40, 3, 3, 100, 7, 60, 0, 9]
    machine = with_table(entries)
    run(machine, f"mvp/n128{nd} $di0@2 $p64@1", f"mvb2/n64{nd} $di1 $lc128")
    for x in range(128):
        unit = x // 16
        address = 16 * (entries[unit // units] + 2 + unit % units) + x % 16
        assert machine.pdm[1, 64 + x] == machine.dram[2][address : address + 1][0]
    for l2b in range(8):
        for x in range(64):
            address = 16 * (entries[1 + x // 16 // units] + l2b // 2 + x // 16 % units) + x % 16
            assert machine.l2bm[l2b, 128 + x] == machine.dram[l2b // 2][address : address + 1][0]


def test_results_are_stored_through_the_table() -> None:
    machine = with_table([50, 20, 90, 10])
    run(machine, "mvd/n256 $p0@3 $di0", "mvp/n64 $lc0@.1 $di0")
    for g in GROUPS:
        for x in range(64):
            address = 16 * ([50, 20, 90, 10][x // 16] + g) + x % 16
            assert machine.dram[g][address : address + 1][0] == machine.l2bm[2 * g + 1, x]


@pytest.mark.parametrize(
    ("direct", "indirect"),
    [
        ("mvb/n128 $d64 $lc0", "mvb/n128 $di4 $lc0"),
        ("mvb2/n128 $d64 $lc0", "mvb2/n128 $di4 $lc0"),
        ("mvb4/n128 $d64 $lc0", "mvb4/n128 $di4 $lc0"),
        ("mvd/n128 $d64 $p0@1", "mvd/n128 $di4 $p0@1"),
        ("mvd/n128 $p0@1 $d64", "mvd/n128 $p0@1 $di4"),
        ("mvp/n128 $d64@1 $lc0@2.1", "mvp/n128 $di4@1 $lc0@2.1"),
        ("mvrliadd/n128 $lc0 $d64", "mvrliadd/n128 $lc0 $di4"),
        ("mvr2liadd/n128 $lc0 $d64", "mvr2liadd/n128 $lc0 $di4"),
        ("mvr4liadd/n128 $lc0 $d64", "mvr4liadd/n128 $lc0 $di4"),
    ],
)
def test_a_table_that_counts_up_is_plain_addressing(direct: str, indirect: str) -> None:
    plain, table = run(filled(), direct), filled()
    table.dar[:] = np.arange(1024)
    run(table, indirect)
    assert (plain.l2bm == table.l2bm).all() and (plain.pdm == table.pdm).all()
    for g in GROUPS:
        assert (plain.dram[g][0:1024] == table.dram[g][0:1024]).all()


def test_entries_and_addresses_wrap_around() -> None:
    machine = Machine()
    machine.dar[0, 1023], machine.dar[0, 0] = 2**25 - 1 + 2**30, 5  # the last unit; bits beyond the DRAM do not count
    machine.dram[0][2**29 - 16 : 2**29] = 7
    machine.dram[0][80:96] = 8
    run(machine, "mvp/n64 $di1023@0 $p0@0")
    assert machine.pdm[0, :32].tolist() == [7] * 16 + [8] * 16
