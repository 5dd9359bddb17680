"""Tensors that come from DRAM and go there in pieces."""

from __future__ import annotations

import pytest

from benchmarks.moved import failure
from haribote.stack.costs import issues, run_bits
from haribote.stack.maps import COPY, Bit, BitMap, W, address, unit_bits
from haribote.stack.pieces import MOST, down, up
from haribote.stack.places import Place
from simulator.assembly.checks import check
from tests.haribote.stack.emitted import loaded, sound, stored


def in_every_l1b(shape: tuple[int, int], width: int) -> BitMap:
    """A tensor of `width` index bits, the same in all L1Bs: PEs and MABs, then addresses."""
    places = [W, Bit("PE", 0), Bit("PE", 1), *(Bit("MAB", number) for number in range(4))]
    table = dict.fromkeys(unit_bits("LM"), COPY) | {bit: number for number, bit in enumerate(places)}
    table |= {address(number): 7 + number for number in range(width - 7)}
    return BitMap.of("LM", shape, table)


@pytest.mark.parametrize("shape", [(1 << 7, 1 << 8), (1 << 7, 200)])
def test_what_an_l1bm_does_not_hold_goes_in_pieces(shape: tuple[int, int]) -> None:
    found = in_every_l1b(shape, 15)
    for pieces in (down(found), up(found)):
        assert len(pieces.cut) == 1
        assert all(hop.target.longs <= MOST.get(hop.target.memory, hop.target.longs) for hop in pieces.path)
    for move in (loaded(64, Place("LM0", 0, found)), stored(Place("LM1", 8, found), 128)):
        assert failure(move) == ""
        assert check(move.program) == []


def test_the_padding_of_a_tensor_in_pieces_holds_zeros() -> None:
    found = in_every_l1b((1 << 7, 200), 15)
    move = loaded(64, Place("LM0", 0, found), fill=0.0)
    assert failure(move, fill=0.0) == ""


def test_what_the_host_lays_out_comes_in_long_runs() -> None:
    """A weight [out, in, 3, 3] whose rows are dealt to MABs and L1Bs: in DRAM it has the order of the L2BM."""
    places = [W, Bit("PE", 0), *(address(number) for number in range(4))]
    places += [*(Bit("MAB", number) for number in range(4)), *(Bit("L1B", number) for number in range(3))]
    places += [Bit("L2B", 0), Bit("group", 0), Bit("group", 1)]
    found = BitMap.of(
        "LM", (1 << 9, 8, 3, 3), {bit: number for number, bit in enumerate(places)} | {Bit("PE", 1): COPY}
    )
    first = down(found).path[0].made
    assert issues(first) - run_bits(first) == 1  # one run for each L2B of a group
    assert failure(loaded(64, Place("LM0", 0, found))) == ""


def test_what_is_not_cut_is_one_piece() -> None:
    found = in_every_l1b((16, 16), 8)
    pieces, place = down(found), Place("LM0", 16, found)
    assert pieces.cut == () and list(pieces.of(place)) == [place]


@pytest.mark.slow
def test_what_cannot_be_cut_at_both_ends_goes_through_dram() -> None:
    before = in_every_l1b((1 << 7, 1 << 8), 15)
    moved = {COPY: COPY, **{index: (index + 8) % 15 for index in range(15)}}
    after = BitMap.of("LM", before.shape, {bit: moved[carry] for bit, carry in before.carries})
    assert "$d" in sound(Place("LM0", 0, before), Place("LM1", 0, after)).text
