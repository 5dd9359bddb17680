"""Layouts as maps on bits: against the positions of `haribote.layout`, for the table and for random layouts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haribote.layout import LAYOUTS, Layout, LayoutError, dram_layout, position
from haribote.stack.maps import COPY, NOTHING, UNIT_BITS, Bit, BitMap, address, dram, level_of_change, unit_bits, wires
from haribote.stack.notation import of_layout, parse, text_of

NUMBERED = {"L2B": 3, "L1B": 3, "MAB": 4, "PE": 2, "W": 1, "": 8}


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """A random layout: every place bit is used once or not at all; the first digit may be any size."""
    free = {level: list(range(bits)) for level, bits in NUMBERED.items()}
    axes = []
    for _ in range(draw(st.integers(1, 3))):
        items = []
        for number in range(draw(st.integers(1, 4))):
            level = draw(st.sampled_from([level for level, bits in free.items() if bits]))
            start = draw(st.integers(0, len(free[level]) - 1))
            run = [free[level][start]]
            while len(run) < 3 and run[-1] + 1 in free[level] and draw(st.booleans()):
                run.append(run[-1] + 1)
            free[level] = [bit for bit in free[level] if bit not in run]
            size = 1 << len(run)
            if number == 0 and len(run) > 1 and draw(st.booleans()):
                size -= 1
            items.append(f"{size}{'_' + level if level else ''}:{1 << run[0]}")
        axes.append(f"({', '.join(items)})")
    return Layout.parse(f"({', '.join(axes)})")


def _agree(layout: Layout) -> BitMap:
    """Compare a map with the positions of its layout at every level."""
    found = of_layout(layout)
    assert found.shape == layout.shape
    for level in ("L1B", "MAB", "PE", "W"):
        assert np.array_equal(found.positions(level), position(layout, level)), level
    assert np.array_equal(2 * found.positions("group") + found.positions("L2B"), position(layout, "L2B"))
    assert np.array_equal(found.positions("address"), position(layout, ""))
    for level in ("L2B", "L1B", "MAB", "PE"):
        copied = {found[Bit(level, number)] for number in range(UNIT_BITS[level])} == {COPY}
        assert copied == (not layout.names(level))
    return found


@pytest.mark.parametrize("tag", LAYOUTS)
def test_the_layouts_of_the_table(tag: str) -> None:
    found = _agree(LAYOUTS[tag])
    assert text_of(found) == str(LAYOUTS[tag])
    assert 2 * found.longs == LAYOUTS[tag].words


@given(layouts())
@settings(max_examples=100, deadline=None)
def test_random_layouts(layout: Layout) -> None:
    found = _agree(layout)
    assert parse(text_of(found)) == found
    at = tuple(size - 1 for size in layout.shape)
    place = {
        bit: int(found.positions(bit.level)[at]) >> bit.number & 1 for bit, carry in found.carries if carry != NOTHING
    }
    assert found.element(place) == at
    assert found.satisfies(found.weakened()) and found.same_up_to_copies(found.weakened())
    assert found.weakened().satisfies(found) == (not found.copies())


def test_the_example_of_the_manual() -> None:
    found = of_layout(LAYOUTS["256x16.A"])
    names = {str(bit): found.name(carry) for bit, carry in found.carries}
    assert names["group 1"] == "i7" and names["L2B 0"] == "i5" and names["L1B 0"] == "i0" and names["W 0"] == "j0"
    assert names["address 0"] == "j3" and names["address 2"] == "i4" and names["MAB 3"] == "copy"
    assert found.element({Bit("group", 1): 1, Bit("PE", 1): 1, Bit("MAB", 2): 1}) == (128, 4)
    assert found.element({address(7): 1}) is None


def test_a_stride_that_is_no_power_of_two_is_one_bit_in_several_places() -> None:
    found = parse("((2_L2B:3), (16:1))")
    assert found[Bit("L2B", 0)] == found[Bit("group", 0)] == 4 and found[Bit("group", 1)] == NOTHING
    assert (2 * found.positions("group") + found.positions("L2B"))[1, 0] == 3
    assert parse(text_of(found)) == found


@pytest.mark.parametrize("shape", [(16,), (256,), (16, 16), (256, 16), (16, 1024), (10,), (1,)])
def test_dram(shape: tuple[int, ...]) -> None:
    found, layout = dram(shape), dram_layout(shape)
    assert np.array_equal(found.positions("group").ravel() * 2, layout.position("L2B")[: np.prod(shape)])
    assert np.array_equal(found.positions("address").ravel(), layout.position("")[: np.prod(shape)])
    assert parse(text_of(found), "DRAM") == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("((2_L2B:1, 3:1))", "no row of bits"),
        ("((4_L2B:3))", "power of two"),
        ("((4:1), (4:2))", "two digits"),
        ("((16_PE:1))", "beyond"),
    ],
)
def test_what_is_no_map_on_bits_is_named(text: str, names: str) -> None:
    with pytest.raises(LayoutError, match=names):
        parse(text)


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
