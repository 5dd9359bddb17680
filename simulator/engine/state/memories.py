"""The memories and registers of the machine, as NumPy arrays (isa.md, section 1).

Every PE memory is an array `[address, pe]`, so that one address of all 4,096 PEs is one contiguous row and a step is
a slice; there are gaps between the rows (rows.py). Words are uint32, long words uint64; all start at zero. The arrays
are allocated by the operating system on first touch, DRAM in pages of its own, so a machine costs what a program uses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.state import rows
from simulator.errors import SimulatorError
from simulator.isa import ALL_MABS, ALL_PES, L2BS
from simulator.isa.units import PATHS
from simulator.messages import tr

Words = NDArray[np.uint32]
LongWords = NDArray[np.uint64]
Flags = NDArray[np.bool_]


class Dram:
    """The DRAM of one group: 2^29 long words, kept in pages that exist once they are written.

    Slices read and write like those of an array: `dram[a:b]` is a new uint64 array, `dram[a:b] = values` stores.
    """

    PAGE = 1 << 15

    def __init__(self) -> None:
        """All zero."""
        self._pages: dict[int, LongWords] = {}

    def read(self, address: int, count: int) -> LongWords:
        """`count` long words from `address` on; addresses past the end wrap around."""
        result = np.zeros(count, np.uint64)
        for page, inside, outside in self._pieces(address, count):
            if page in self._pages:
                result[outside] = self._pages[page][inside]
        return result

    def write(self, address: int, values: LongWords) -> None:
        """Store `values` from `address` on; addresses past the end wrap around."""
        for page, inside, outside in self._pieces(address, len(values)):
            self.page(page)[inside] = values[outside]

    def pages(self) -> list[int]:
        """The numbers of the pages that exist, in order; all others are zero."""
        return sorted(self._pages)

    def has_page(self, number: int) -> bool:
        """True where something was written in this page."""
        return number in self._pages

    def page(self, number: int) -> LongWords:
        """The long words of a page, created if need be; it stays where it is as long as the DRAM lives."""
        if number not in self._pages:
            self._pages[number] = np.zeros(self.PAGE, np.uint64)
        return self._pages[number]

    def _pieces(self, address: int, count: int) -> list[tuple[int, slice, slice]]:
        """The range cut at page ends: page number, slice of the page, slice of the range."""
        pieces, done = [], 0
        while done < count:
            page, start = divmod((address + done) % isa.DRAM_LONGS, self.PAGE)
            length = min(count - done, self.PAGE - start)
            pieces.append((page, slice(start, start + length), slice(done, done + length)))
            done += length
        return pieces

    def _range(self, key: slice) -> tuple[int, int]:
        if not isinstance(key, slice) or key.step not in (None, 1):
            raise TypeError(tr("DRAM is read and written by slices of step 1: dram[group][a:b]"))
        start = 0 if key.start is None else int(key.start)
        stop = isa.DRAM_LONGS if key.stop is None else int(key.stop)
        if not 0 <= start <= stop <= isa.DRAM_LONGS:
            raise SimulatorError(
                tr("DRAM range {start}:{stop} is not within 0:{dram_longs} (long words)", start, stop, isa.DRAM_LONGS),
                tr("an ascending range of long-word addresses"),
            )
        return start, stop - start

    def __getitem__(self, key: slice) -> LongWords:
        """`dram[a:b]`: a copy of these long words."""
        return self.read(*self._range(key))

    def __setitem__(self, key: slice, values: Any) -> None:
        """`dram[a:b] = values`, one number for all or as many as the range has."""
        start, count = self._range(key)
        self.write(start, np.broadcast_to(np.asarray(values, np.uint64), count))


class Memories:
    """All state of the machine. pe = ((2n + c) * 8 + b) * 64 + 4m + p; l2b = 2n + c; mab = pe // 4.

    lm0, lm1, grf0, grf1: uint32 [word address, pe]
    t: uint32 [cycle, word 0..3, pe]
    omr: bool [entry, cycle, flag, pe]; entries 0 and 16..31 are fixed
    bar0, bar1: uint16 [pe], base addresses of LM0 and LM1
    mx, my: uint32 [row, mab, word]; a row is long word 0 of the four PEs: 4 doubles, 8 singles or 16 halves
    l1bm: uint64 [l2b, l1b, a]; l2bm: uint64 [l2b, a]; pdm: uint64 [group, a]; dram[group][a:b]
    dar: uint32 [group, entry], the DRAM address table, in units of 16 long words
    dar_fetched: uint32 [group, 512], what `l2bmdars` fetched last; dar_next: where the first of them goes in the table,
    and how many of them are in it already
    paths: what each unit put out last, by name of its forwarding path: uint32 [1 or 4 cycles, 1..4 words, 1 or all PEs]
    turnaround: the last block sent to the L1BMs, with the transfer family it belongs to: uint64 [l2b, l1b, a]
    """

    def __init__(self) -> None:
        """All zero, but for the fixed mask entries."""
        self.lm0: Words = rows.zeros((isa.LM_WORDS, ALL_PES), np.uint32)
        self.lm1: Words = rows.zeros((isa.LM_WORDS, ALL_PES), np.uint32)
        self.grf0: Words = rows.zeros((isa.GRF_WORDS, ALL_PES), np.uint32)
        self.grf1: Words = rows.zeros((isa.GRF_WORDS, ALL_PES), np.uint32)
        self.t: Words = rows.zeros((4, 4, ALL_PES), np.uint32)
        self.omr: Flags = rows.zeros((32, 4, 4, ALL_PES), np.bool_)
        self.omr[0] = True
        for cycle in range(4):  # of 16 to 31, bit 3 of the low nibble is cycle 0
            self.omr[16:, cycle] = (np.arange(16) & (8 >> cycle) != 0)[:, None, None]
        self.bar0: NDArray[np.uint16] = np.zeros(ALL_PES, np.uint16)
        self.bar1: NDArray[np.uint16] = np.zeros(ALL_PES, np.uint16)
        self.mx: Words = rows.zeros((16, ALL_MABS, 8), np.uint32, axis=1)
        self.my: Words = rows.zeros((16, ALL_MABS, 8), np.uint32, axis=1)
        self.l1bm: LongWords = np.zeros((L2BS, isa.L1BS, isa.L1BM_LONGS), np.uint64)
        self.l2bm: LongWords = np.zeros((L2BS, isa.L2BM_LONGS), np.uint64)
        self.pdm: LongWords = np.zeros((isa.GROUPS, isa.PDM_LONGS), np.uint64)
        self.dram = tuple(Dram() for _ in range(isa.GROUPS))
        self.dar: Words = np.zeros((isa.GROUPS, isa.DAR_ENTRIES), np.uint32)
        self.dar_fetched: Words = np.zeros((isa.GROUPS, 0), np.uint32)
        self.dar_next: tuple[int, int] = (0, 0)
        nothing = np.zeros((1, 1, 1), np.uint32)
        self.paths: dict[str, Words] = {name: nothing for name in PATHS}
        self.turnaround: tuple[str, LongWords] | None = None


def load_block(memory: LongWords, address: int, count: int) -> LongWords:
    """`count` long words of the last axis from `address` on, wrapping around; a view where they do not wrap."""
    size = memory.shape[-1]
    start = address % size
    if start + count <= size:
        return memory[..., start : start + count]
    return memory[..., (start + np.arange(count)) % size]


def store_block(memory: LongWords, address: int, values: LongWords) -> None:
    """Store `values` along the last axis from `address` on, wrapping around; leading axes broadcast."""
    size, count = memory.shape[-1], values.shape[-1]
    start = address % size
    if start + count <= size:
        memory[..., start : start + count] = values
    else:
        memory[..., (start + np.arange(count)) % size] = values
