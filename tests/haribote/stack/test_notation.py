"""The notation of maps: text and back, and what is no map."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from haribote.layout import Layout, LayoutError
from haribote.stack.maps import NOTHING, Bit
from haribote.stack.notation import parse, text_of
from tests.haribote.stack.copies import one_copy
from tests.haribote.stack.layouts import _agree, layouts


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
    assert found.satisfies(one_copy(found)) and one_copy(found) == one_copy(one_copy(found))
    assert one_copy(found).satisfies(found) == (not found.copies())


def test_a_stride_that_is_no_power_of_two_is_one_bit_in_several_places() -> None:
    found = parse("((2_L2B:3), (16:1))")
    assert found[Bit("L2B", 0)] == found[Bit("group", 0)] == 4 and found[Bit("group", 1)] == NOTHING
    assert (2 * found.positions("group") + found.positions("L2B"))[1, 0] == 3
    assert parse(text_of(found)) == found


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
