"""Between DRAM and the PEs in pieces, where the buffers on the way do not hold all of a tensor at once.

A piece is what is left when some index bits at addresses of the PEs are fixed: a tensor of its own, of which all have
the same map. In DRAM the pieces lie one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from haribote.stack.chains import Path
from haribote.stack.cuts import can_cut, half, without
from haribote.stack.ends import path_from_dram, path_to_dram
from haribote.stack.maps import BitMap, Memory, address, axis_bits
from haribote.stack.places import UNIT_LONGS, NoRoom, Place
from simulator.isa import L1BM_LONGS, L2BM_LONGS
from simulator.messages import tr

MOST: Mapping[Memory, int] = {"L1BM": L1BM_LONGS, "L2BM": L2BM_LONGS // 2}
"""Long words of a whole tensor in the buffers on its way; loads keep zeros in another part of the L2BM."""
MOST_OF_PIECES: Mapping[Memory, int] = {**MOST, "L2BM": L2BM_LONGS // 4}
"""The same of one of several pieces: some are on their way at once."""


@dataclass(frozen=True)
class Pieces:
    """path: of each piece; cut: the index bits that tell pieces apart, highest first; shape: of the tensor that is cut,
    padded where it has to be; whole: all of it in DRAM.
    """

    path: Path
    cut: tuple[int, ...]
    shape: tuple[int, ...]
    whole: BitMap

    def of(self, place: Place) -> Iterator[Place]:
        """The pieces of a place, in DRAM or in a bank."""
        for numbers in product(range(2), repeat=len(self.cut)):
            piece = replace(place, map=replace(place.map, shape=self.shape)) if self.cut else place
            for index, number in zip(self.cut, numbers, strict=True):
                piece = half(piece, index, number)
            yield piece


@lru_cache(maxsize=1 << 10)
def down(target: BitMap) -> Pieces:
    """How a tensor comes from DRAM to a map of the PEs. Raises NoRoom."""
    return _first(target, path_from_dram, lambda path: path[0].source)


@lru_cache(maxsize=1 << 10)
def up(source: BitMap) -> Pieces:
    """How it goes from there to DRAM. Raises NoRoom."""
    return _first(source, path_to_dram, lambda path: path[-1].target)


def _first(found: BitMap, path_of: Callable[[BitMap], Path], end: Callable[[Path], BitMap]) -> Pieces:
    """The fewest pieces that fit; along axes that are powers of two, so that no padding has to move, else along any."""
    for whole in (found, found.padded):
        bits = _cuttable(whole)
        for count in range(len(bits) + 1):
            cut = tuple(sorted(bits[:count], reverse=True))
            piece = whole
            for index in cut:
                piece = without(piece, index)
            path = path_of(piece)
            most = MOST_OF_PIECES if count else MOST
            if all(hop.target.longs <= most.get(hop.target.memory, hop.target.longs) for hop in path):
                return Pieces(path, cut, whole.shape, _together(end(path), cut, found))
    raise NoRoom(
        tr("the pieces of {found} do not pass through an L1BM of {bm_longs} long words", found, L1BM_LONGS),
        tr("a layout with more addresses"),
    )


def _cuttable(found: BitMap) -> list[int]:
    """The index bits that pieces may differ in, the one at the highest address first."""
    place = Place("LM0", 0, found)
    bits = [
        index
        for size, axis in zip(found.shape, found.axes, strict=True)
        for index in axis
        if size == 1 << axis_bits(size) and can_cut(place, index)
    ]
    return sorted(bits, key=lambda index: -found.places[index][0].number)


def _together(piece: BitMap, cut: tuple[int, ...], found: BitMap) -> BitMap:
    """The map in DRAM of all pieces from that of one."""
    left = [index for index in range(found.width) if index not in cut]
    table = {bit: left[carry] if carry >= 0 else carry for bit, carry in piece.carries}
    first = max(piece.address_bits, UNIT_LONGS.bit_length() - 1)
    table |= {address(first + number): index for number, index in enumerate(reversed(cut))}
    return BitMap.of("DRAM", found.shape, table)
