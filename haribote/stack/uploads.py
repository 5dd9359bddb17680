"""Constant words that differ from PE to PE: tables of the program in DRAM, and the lines that bring them to the PEs.

A block of 8 words per PE is one `l1bmd`: four long words of each of 64 PEs. In DRAM every group has the blocks of its
two L2Bs one after another, so that a block is one MV per L2B, in all groups at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from haribote.stack.maps import Bit, BitMap, W, address, axis_bits
from haribote.stack.places import BANKS, Place
from simulator import isa
from simulator.engine.state.elements import join_words

if TYPE_CHECKING:
    from simulator.engine.state.memories import Memories

Words = NDArray[np.uint32]
BLOCK = 8
"""Words per PE that one transfer writes."""
GROUP_LONGS = 4096
"""Long words of a block in the DRAM of a group."""
L2B_LONGS = GROUP_LONGS // 2


@dataclass(frozen=True, eq=False)
class Upload:
    """words: uint32 [n, 4096], word by PE; n is a multiple of 8. place: where in DRAM the host writes them, a map of
    that shape.
    """

    place: Place
    words: Words


def padded(words: Words) -> Words:
    """The same with rows of zeros up to a multiple of 8."""
    return np.pad(words, ((0, -len(words) % BLOCK), (0, 0)))


def dram_map(rows: int) -> BitMap:
    """Where words [row, PE] are in DRAM, so that MVs, `l2bmd` and `l1bmd` in turn bring them to their PEs.

    `l1bmd` wants PE and MAB (index bits 0 to 5) below the cycle (13, 14); `l2bmd` has the L1B (6 to 8) above 8 words.
    """
    within = (0, 1, 2, 6, 7, 8, 3, 4, 5, 13, 14, 9)
    carries = {W: 12, Bit("group", 0): 10, Bit("group", 1): 11}
    carries |= {address(number): carry for number, carry in enumerate(within)}
    carries |= {address(12 + number): 15 + number for number in range(axis_bits(rows // BLOCK))}
    return BitMap.of("DRAM", (rows, isa.ALL_PES), carries)


def lines(start: int, rows: int, bank: str, word: int, buffer: Callable[[str, int], int]) -> Iterator[str]:
    """From DRAM (long-word address `start`) to `word` in a bank of every PE. buffer: hands out L2BM and L1BM."""
    for block in range(rows // BLOCK):
        high = buffer("L2BM", L2B_LONGS)
        for l2b in range(2):
            source = start + block * GROUP_LONGS + l2b * L2B_LONGS
            yield f"mvp/n{L2B_LONGS} $d{source} $lc{high}@.{l2b}"
        low = buffer("L1BM", 256)
        for part in range(8):
            yield f"l2bmd $lc{high + 256 * part} $lb{low + 32 * part}"
        yield f"l1bmd $lb{low} $l{BANKS[bank]}{word + BLOCK * block}v"


def write(memories: Memories, upload: Upload) -> None:
    """What the host does before the setup: the words into DRAM."""
    found = upload.place.map
    group, long = (found.positions(level)[::2] for level in ("group", "address"))
    longs = np.zeros((isa.GROUPS, found.longs), np.uint64)
    longs[group, long] = join_words(upload.words[::2], upload.words[1::2])
    for number in range(isa.GROUPS):
        memories.dram[number].write(upload.place.address, longs[number])
