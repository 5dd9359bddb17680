"""Moves that are larger than the buffers on their way."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from haribote.stack.cuts import half, halves
from haribote.stack.maps import COPY, Bit, BitMap, W, address, unit_bits
from haribote.stack.picks.held import elements
from haribote.stack.places import Place
from simulator import isa
from tests.haribote.stack.emitted import sound

WIDTH = 15
"""Index bits of a tensor that an L1BM holds twice over."""


def large(mabs: tuple[int, ...], shape: tuple[int, int] = (1 << WIDTH - 8, 1 << 8)) -> BitMap:
    """A tensor in one L1B, the same in all: which index bits are at the MABs, the others at W, PEs and addresses."""
    table = dict.fromkeys(unit_bits("LM"), COPY) | {W: 0, Bit("PE", 0): 1, Bit("PE", 1): 2}
    table |= {Bit("MAB", number): index for number, index in enumerate(mabs)}
    left = [index for index in range(3, WIDTH) if index not in mabs]
    table |= {address(number): index for number, index in enumerate(left)}
    return BitMap.of("LM", shape, table)


def test_a_tensor_larger_than_a_buffer_goes_in_halves() -> None:
    before, after = large((3, 4, 5, 6)), large((6, 5, 4, 3))
    assert 1 << WIDTH - 1 > isa.L1BM_LONGS
    sound(Place("LM0", 0, before), Place("LM1", 0, after))


@pytest.mark.parametrize("shape", [(100, 256), (128, 200), (69, 161), (65, 129)])
@pytest.mark.parametrize("padding", [False, True])
def test_so_does_one_whose_axes_are_no_powers_of_two(shape: tuple[int, int], padding: bool) -> None:
    """The highest bits are at the MABs, so that it is cut somewhere else."""
    before, after = large((7, 14, 5, 6), shape), large((14, 5, 7, 3), shape)
    sound(Place("LM0", 0, before), Place("LM1", 0, after), padding=padding)


@pytest.mark.parametrize("shape", [(37, 24), (64, 9), (33, 40)])
def test_halves_along_any_bit_are_the_elements_that_have_it(shape: tuple[int, int]) -> None:
    table = dict.fromkeys(unit_bits("LM"), COPY)
    width = BitMap("LM", shape, ()).width
    found = BitMap.of("LM", shape, {**table, W: 0} | {address(k): k + 1 for k in range(width - 1)})
    whole = elements(found)[:, 0]
    for index in range(2, width):
        for number in range(2):
            place = half(Place("LM0", 0, found), index, number)
            words = elements(place.map)[:, 0]
            there = place.address + np.flatnonzero(words >= 0)
            assert [int(n) for n in whole[there] >> index & 1] == [number] * len(there)
            assert len(there) == prod(place.map.shape) == np.sum((whole >= 0) & (whole >> index & 1 == number))


def test_halves_hold_every_element_once() -> None:
    source, target = Place("LM0", 8, large((3, 4, 5, 6))), Place("LM1", 512, large((4, 3, 9, 10)))
    cut = halves(source, target)
    assert cut is not None
    (first, *_), (second, *_) = cut
    assert (first.address, second.address) == (8, 8 + source.words // 2)
    assert first.map == second.map and 2 * prod(first.map.shape) == prod(source.map.shape)


def test_what_shares_no_address_bit_cannot_be_cut() -> None:
    table = dict.fromkeys(unit_bits("LM"), COPY)
    near = BitMap.of("LM", (2, 2), {**table, W: 0, address(0): 1})
    far = BitMap.of("LM", (2, 2), {**table, W: 0, Bit("MAB", 0): 1})
    assert halves(Place("LM0", 0, near), Place("LM1", 0, far)) is None


@pytest.mark.parametrize(("size", "cut"), [(400, (256, 144)), (512, (256, 256)), (517, (512, 5))])
def test_an_axis_that_is_no_power_of_two_is_cut_at_its_highest_bit(size: int, cut: tuple[int, int]) -> None:
    """Of 517 the five last ones need three bits: the others are 0 there."""
    rows, columns = BitMap("LM", (4, size), ()).axes
    order = [*columns[1:-1], *rows, columns[-1]]
    table = dict.fromkeys(unit_bits("LM"), COPY) | {W: 0} | {address(k): index for k, index in enumerate(order)}
    found = BitMap.of("LM", (4, size), table)
    halved = halves(Place("LM0", 0, found), Place("LM1", 0, found))
    assert halved is not None
    assert tuple(source.map.shape[1] for source, _ in halved) == cut
    assert sum(prod(source.map.shape) for source, _ in halved) == 4 * size
