"""What a word of a room must hold agrees with where a map puts every element."""

from __future__ import annotations

import numpy as np

from benchmarks.moved import places_of
from haribote.stack.maps import COPY, PART, Bit, BitMap, W, address, unit_bits
from haribote.stack.notation import parse
from haribote.stack.plan import Version
from haribote.stack.program.contents import ANYTHING, contents, parts_of
from haribote.stack.program.packing import Packing
from simulator import Machine


def test_every_copy_of_every_element_is_where_the_map_has_it() -> None:
    found = parse("((8_L2B:1, 4:4, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))")  # address bit 1 is not in use
    table = contents(found, ((256,), (16,)), (256, 16))
    unit, word = places_of(found)
    assert (table[unit, word] == np.arange(4096)).all()
    assert np.count_nonzero(table != ANYTHING) == unit.size


def test_what_lies_beyond_the_value_is_fill() -> None:
    found = parse("((8_MAB:1, 4_PE:1, 2_W:1))")  # 64 places for 3x20 elements in two parts of 30
    wide = BitMap.of("LM", (2, 30), {bit: c for bit, c in _split(found).items()})
    table = contents(wide, ((2, 30),), (57,))
    held = np.unique(table)
    assert held.tolist() == list(range(58))
    place = {Bit("MAB", 3): 1, Bit("PE", 0): 1}
    element = wide.element(place)
    assert element == (1, 2)
    assert table[4 * 8 + 1, 0] == 32  # 30 elements of the first part come before


def _split(found: BitMap) -> dict[Bit, int]:
    copies = dict.fromkeys(unit_bits("LM"), COPY)
    bits = (W, Bit("PE", 0), Bit("PE", 1), Bit("MAB", 0), Bit("MAB", 1), Bit("MAB", 3))
    return copies | {bit: number for number, bit in enumerate(bits)}


def test_parts_of_a_sum_are_named_by_unit_and_word() -> None:
    carries = {Bit("MAB", 0): PART, Bit("PE", 1): 0, address(1): PART, W: PART}
    assert parts_of(BitMap.of("LM", (2,), carries)) == (4, 1 | 4)


def test_packing_fills_up_and_reads_back() -> None:
    shape, machine = (3, 5), Machine()
    carries = {address(0): 0, address(1): 1, W: 2, Bit("group", 0): 3, Bit("group", 1): 4}
    found = BitMap.of("DRAM", (3, 5), carries)
    value = np.arange(15, dtype=np.float32).reshape(shape)
    packing = Packing(Version("x", found, ((3,), (5,)), 7.0), found, 64, shape, np.float32)
    packing.write(machine, value)
    assert np.array_equal(packing.read(machine), value)
    words = np.concatenate([machine.dram[g].read(64, 4) for g in range(4)]).astype(">u8").view(">f4")
    assert sorted(words) == sorted([*range(15), *[7.0] * 17])
    group, long, word = 1, 2, 1  # row 1 (bit 3), column 2 + 4: beyond the value
    assert machine.dram[group].read(64 + long, 1).astype(">u8").view(">f4")[word] == 7.0
    assert machine.dram[group].read(64 + long, 1).astype(">u8").view(">f4")[0] == value[1, 2]


def test_integers_are_single_words() -> None:
    found = BitMap.of("DRAM", (4,), {address(0): 0, W: 1})
    for value in (np.array([5, -1, 0, 9]), np.array([True, False, False, True])):
        machine = Machine()
        packing = Packing(Version("x", found, ((4,),)), found, 0, (4,), value.dtype)
        packing.write(machine, value)
        assert packing.read(machine).dtype == value.dtype
        assert np.array_equal(packing.read(machine), value)
