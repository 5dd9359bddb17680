"""The layouts that the planner considers."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.stack.maps import COPY, PART, Bit, BitMap
from haribote.stack.notation import parse
from haribote.stack.planner.families import candidates, projected, reduced

SHAPES = [(), (1,), (10,), (256,), (256, 16), (256, 10), (784, 16), (16, 785), (32, 3, 5, 5), (1, 7, 1)]


def positions(found: BitMap) -> np.ndarray:
    """Of every element, flat: its unit, word and address."""
    levels = ("group", "L2B", "L1B", "MAB", "PE", "W", "address")
    return np.stack([found.positions(level).ravel() for level in levels], axis=1)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_candidate_has_a_place_of_its_own_for_every_element(shape: tuple[int, ...]) -> None:
    found = candidates(shape)
    assert len(set(found)) == len(found) > 0
    for split, layout in found:
        parts = tuple(size for sizes in split for size in sizes)
        assert layout.shape == parts
        assert len(np.unique(positions(layout), axis=0)) == np.prod(parts)
        assert all(np.prod(sizes) >= size for sizes, size in zip(split, shape, strict=True))


@pytest.mark.parametrize(
    "notation",
    [
        "((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))",  # near: a column in each MAB
        "((8_L1B:1, 32:1), (2_MAB:1, 4_PE:1, 2_W:1)) * (8_MAB:2)",  # wide: a row within two MABs
    ],
)
def test_the_layouts_of_the_prototype_are_there(notation: str) -> None:
    assert parse(notation) in [layout for _, layout in candidates((256, 16))]


@pytest.mark.parametrize(("size", "most"), [(785, 208), (300, 96), (1500, 384)])
def test_a_long_axis_fills_all_groups_alike(size: int, most: int) -> None:
    """One way for every value that has such an axis: all of its bits are those of the index."""
    found = [layout for split, layout in candidates((16, size)) if split == ((16,), (size,))]
    dealt = [layout for layout in found if layout[Bit("group", 0)] in range(3, 6)]
    assert dealt and len(found) == len(candidates((16, size)))
    for layout in dealt:
        counts = np.bincount(layout.positions("group")[0])
        assert len(counts) == 4 and counts.max() <= most


def test_an_operand_lies_where_the_result_reads_it() -> None:
    result = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
    bias = projected(result, (16,))
    for column in range(16):
        assert bias.positions("MAB")[column] == result.positions("MAB")[0, column]
    assert bias.longs == 1 and all(bias[Bit("L1B", number)] == COPY for number in range(3))


def test_a_reduced_axis_leaves_parts_where_its_bits_stood() -> None:
    result = parse("((8_L1B:1, 4:1, 4_PE:1, 2_W:1), (16_MAB:1))")
    found = reduced(result, (1,), PART)
    assert found.shape == (256, 1)
    assert [bit for bit, carry in found.carries if carry == PART] == [Bit("MAB", number) for number in range(4)]
    assert np.array_equal(found.positions("L1B")[:, 0], result.positions("L1B")[:, 3])
