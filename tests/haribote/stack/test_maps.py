"""Layouts as maps on bits: against the positions of `haribote.layout`, for the table and for random layouts."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.layout import LAYOUTS, LayoutError, dram_layout
from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, address, dram, level_of_change, unit_bits, wires
from haribote.stack.notation import of_layout, parse, text_of
from tests.haribote.stack.layouts import _agree


@pytest.mark.parametrize("tag", LAYOUTS)
def test_the_layouts_of_the_table(tag: str) -> None:
    found = _agree(LAYOUTS[tag])
    assert text_of(found) == str(LAYOUTS[tag])
    assert 2 * found.longs == LAYOUTS[tag].words


def test_the_example_of_the_manual() -> None:
    found = of_layout(LAYOUTS["256x16.A"])
    names = {str(bit): found.name(carry) for bit, carry in found.carries}
    assert names["group 1"] == "i7" and names["L2B 0"] == "i5" and names["L1B 0"] == "i0" and names["W 0"] == "j0"
    assert names["address 0"] == "j3" and names["address 2"] == "i4" and names["MAB 3"] == "copy"
    assert found.element({Bit("group", 1): 1, Bit("PE", 1): 1, Bit("MAB", 2): 1}) == (128, 4)
    assert found.element({address(7): 1}) is None


@pytest.mark.parametrize("shape", [(16,), (256,), (16, 16), (256, 16), (16, 1024), (10,), (1,)])
def test_dram(shape: tuple[int, ...]) -> None:
    found, layout = dram(shape), dram_layout(shape)
    assert np.array_equal(found.positions("group").ravel() * 2, layout.position("L2B")[: np.prod(shape)])
    assert np.array_equal(found.positions("address").ravel(), layout.position("")[: np.prod(shape)])
    assert parse(text_of(found), "DRAM") == found


def test_a_tensor_without_a_place_for_every_bit_is_refused() -> None:
    with pytest.raises(LayoutError, match="j0"):
        BitMap.of("LM", (4, 2), {address(0): 1, address(1): 2})
    with pytest.raises(LayoutError, match="powers of two"):
        dram((16, 10))


def test_some_copies_of_a_level_are_written_too() -> None:
    carries = {bit: COPY for bit in unit_bits("LM")} | {Bit("MAB", 1): NOTHING, Bit("group", 0): 3}
    found = BitMap.of("LM", (16,), carries | {address(0): 0, address(1): 1, address(2): 2})
    assert parse(text_of(found)) == found
    assert "*" in text_of(found)


def test_how_far_up_a_change_goes() -> None:
    def level(before: str, after: str) -> str:
        return level_of_change(of_layout(LAYOUTS[before]), of_layout(LAYOUTS[after]))

    assert level("256x16.A", "256x16.A") == "none"
    assert level("256x16.A", "256x16.B") == "L2B"  # rows of an L2B, in all of its L1Bs
    assert level("256x16.A", "256x16.P") == "group"
    assert level("256x16.P", "256x16.A") == "group"  # the other L2B of the group holds nothing yet
    local = parse("((8_L2B:1, 4:1, 8_L1B:1), (2:4, 4_PE:1, 2_W:1))")
    assert level_of_change(of_layout(LAYOUTS["256x16.A"]), local) == "PE"
    turned = parse("((8_L2B:1, 4:2, 8_L1B:1), (4_PE:1, 2:1, 2_W:1))")
    assert level_of_change(of_layout(LAYOUTS["256x16.A"]), turned) == "MAB"
    columns = parse("((4:2, 8_L2B:1, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))")
    assert level_of_change(of_layout(LAYOUTS["256x16.A"]), columns) == "root"


def test_wires_compose_to_the_identity() -> None:
    before, after = of_layout(LAYOUTS["256x16.A"]), of_layout(LAYOUTS["256x16.P"])
    there, back = dict(wires(before, after)), dict(wires(after, before))
    assert all(back[there[bit]] == bit for bit in there)


def test_transposed_twice_is_the_same_map() -> None:
    found = of_layout(LAYOUTS["16x1024"])
    turned = found.transposed()
    assert turned.shape == (1024, 16) and turned.transposed() == found
    assert np.array_equal(turned.positions("MAB"), found.positions("MAB").T)
