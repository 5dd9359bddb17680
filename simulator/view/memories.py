"""The memories as the viewer shows them: one table of names, levels and sizes, and one way to read any of them.

A memory is addressed in units of its own: words in the PEs and MABs, long words above. `t` and the forwarding paths are
16 words (cycle * 4 + word), `mx` and `my` 128 words (row * 8 + word), `omr` has one 16-bit number per entry (cycle 0
in the highest four bits), `bar` the two base addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.execute.elements import split_long_words
from simulator.isa import ALL_L1BS, ALL_MABS, ALL_PES, L2BS
from simulator.memories import LongWords, Memories, Words
from simulator.units import PATHS

Level = Literal["pe", "mab", "l1b", "l2b", "group"]
Addresses = NDArray[np.int64]

UNITS: dict[Level, int] = {"pe": ALL_PES, "mab": ALL_MABS, "l1b": ALL_L1BS, "l2b": L2BS, "group": isa.GROUPS}
MATRIX_WORDS = 8
NOWHERE = -1
"""In a table of addresses: this unit takes no part."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One memory. level: what has one; long: addressed in long words; size: addresses."""

    level: Level
    long: bool
    size: int


KINDS: dict[str, Kind] = {
    **{bank: Kind("pe", False, size) for bank, size in isa.BANK_WORDS.items()},
    "t": Kind("pe", False, 16),
    **{path: Kind("pe", False, 16) for path in PATHS},
    "omr": Kind("pe", False, isa.MASK_ENTRIES),
    "bar": Kind("pe", False, 2),
    "mx": Kind("mab", False, isa.MATRIX_ROWS * MATRIX_WORDS),
    "my": Kind("mab", False, isa.MATRIX_ROWS * MATRIX_WORDS),
    "l1bm": Kind("l1b", True, isa.L1BM_LONGS),
    "turn": Kind("l1b", True, isa.TURNAROUND_LONGS),
    "l2bm": Kind("l2b", True, isa.L2BM_LONGS),
    "pdm": Kind("group", True, isa.PDM_LONGS),
    "dar": Kind("group", False, isa.DAR_ENTRIES),
    "dram": Kind("group", True, isa.DRAM_LONGS),
}

_FLAG_BITS = (1 << np.arange(15, -1, -1)).astype(np.uint32).reshape(4, 4, 1)


def contents(memories: Memories, memory: str, addresses: Addresses) -> Words:
    """What stands at these addresses in every unit: uint32 [address, unit], long words as two rows, high then low.

    addresses: [address], or [address, pe] where PEs differ; NOWHERE reads address 0.
    """
    if KINDS[memory].long:
        return _words_of(_long_words(memories, memory, addresses))
    if memory in isa.BANK_WORDS or memory == "t":
        array = memories.t.reshape(16, ALL_PES) if memory == "t" else getattr(memories, memory)
        found: Words = array[addresses] if addresses.ndim == 1 else array[np.maximum(addresses, 0), np.arange(ALL_PES)]
        return found
    if memory in PATHS:
        datum = memories.paths[memory]
        full = np.broadcast_to(datum, (4, datum.shape[1], ALL_PES))
        return np.asarray(full[addresses // 4, addresses % 4])
    if memory == "omr":
        return np.asarray((memories.omr[addresses] * _FLAG_BITS).sum(axis=(1, 2), dtype=np.uint32))
    if memory == "dar":
        return np.asarray(memories.dar[:, addresses].T)
    if memory == "bar":
        return np.stack([memories.bar0, memories.bar1]).astype(np.uint32)[addresses]
    register: Words = getattr(memories, memory)
    return register[addresses // MATRIX_WORDS, :, addresses % MATRIX_WORDS]


def _words_of(values: LongWords) -> Words:
    return split_long_words(values).transpose(0, 2, 1).reshape(2 * len(values), -1)


def _long_words(memories: Memories, memory: str, addresses: Addresses) -> LongWords:
    """[address, unit]."""
    if memory == "dram":
        result = np.empty((len(addresses), isa.GROUPS), np.uint64)
        starts = ranges(addresses)
        for group, dram in enumerate(memories.dram):
            result[:, group] = np.concatenate([dram.read(start, count) for start, count in starts])
        return result
    if memory == "turn":
        assert memories.turnaround is not None
        block = memories.turnaround[1].reshape(ALL_L1BS, -1)
    elif memory == "l1bm":
        block = memories.l1bm.reshape(ALL_L1BS, -1)
    else:
        block = memories.l2bm if memory == "l2bm" else memories.pdm
    return np.asarray(block[:, addresses].T)


def in_use(memories: Memories, memory: str) -> Addresses:
    """The addresses that are not zero in some unit. DRAM, which is too large to look through, gives none."""
    if memory == "dram" or (memory == "turn" and memories.turnaround is None):
        return np.zeros(0, np.int64)
    if memory in isa.BANK_WORDS:
        return np.flatnonzero(getattr(memories, memory).any(axis=1))
    size = KINDS[memory].size
    if memory in PATHS:
        words = memories.paths[memory].shape[1]
        candidates = np.array([4 * cycle + word for cycle in range(4) for word in range(words)])
    elif memory == "turn":
        assert memories.turnaround is not None
        candidates = np.arange(memories.turnaround[1].reshape(ALL_L1BS, -1).shape[1])
    elif memory == "omr":
        candidates = np.arange(1, 16)  # the others are fixed
    elif memory in ("l1bm", "l2bm", "pdm"):
        block = getattr(memories, memory)
        return np.flatnonzero(block.reshape(-1, size).any(axis=0))
    else:
        candidates = np.arange(size)
    return not_zero(memories, memory, candidates)


def not_zero(memories: Memories, memory: str, addresses: Addresses) -> Addresses:
    """Those of the addresses that are not zero in some unit."""
    found = contents(memories, memory, addresses)
    return addresses[found.reshape(len(addresses), -1).any(axis=1)]


def ranges(addresses: Addresses) -> list[tuple[int, int]]:
    """A list of addresses as runs (first, count), in the order given."""
    if not len(addresses):
        return []
    cuts = np.flatnonzero(np.diff(addresses) != 1) + 1
    return [(int(run[0]), len(run)) for run in np.split(addresses, cuts)]
