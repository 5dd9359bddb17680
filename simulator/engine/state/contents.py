"""What stands in the memories: one table of their names, levels and sizes, and one way to read any of them.

A memory is addressed in units of its own: words in the PEs and MABs, long words above. `t` and the forwarding paths are
16 words (cycle * 4 + word), `mx` and `my` 128 words (row * 8 + word), `omr` has one 16-bit number per entry (cycle 0
in the highest four bits), `bar` the two base addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.state.elements import split_long_words
from simulator.engine.state.memories import LongWords, Memories, Words
from simulator.isa import ALL_L1BS, ALL_MABS, ALL_PES, L2BS
from simulator.isa.units import PATHS

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
        return _path_words(memories.paths[memory], addresses)
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
        if memories.turnaround is None:
            return np.zeros((len(addresses), ALL_L1BS), np.uint64)
        block = memories.turnaround[1].reshape(ALL_L1BS, -1)
    elif memory == "l1bm":
        block = memories.l1bm.reshape(ALL_L1BS, -1)
    else:
        block = memories.l2bm if memory == "l2bm" else memories.pdm
    return np.asarray(block[:, addresses].T)


def _path_words(datum: Words, addresses: Addresses) -> Words:
    """Words of a datum, which may have the same ones in all cycles or PEs; those it does not have are 0."""
    count = datum.shape[1]
    full = np.broadcast_to(datum, (isa.STEP_CYCLES, count, ALL_PES))
    found = full[addresses // 4, np.minimum(addresses % 4, count - 1)]
    return found if (addresses % 4 < count).all() else np.where((addresses % 4 < count)[:, None], found, np.uint32(0))


def path_addresses(memories: Memories, path: str) -> Addresses:
    """The addresses of the words that a forwarding path holds now."""
    return np.flatnonzero(np.arange(16) % 4 < memories.paths[path].shape[1])


def long_word_addresses(memory: str, addresses: Sequence[int]) -> list[int]:
    """The addresses, as `contents` counts them, of what debug statements call by these: two words for a long word."""
    if memory == "t":
        return [4 * (cycle % isa.STEP_CYCLES) + word for cycle in addresses for word in (0, 1)]
    if memory in isa.BANK_WORDS:
        return [(address + word) % isa.BANK_WORDS[memory] for address in addresses for word in (0, 1)]
    return list(addresses)


def ranges(addresses: Addresses) -> list[tuple[int, int]]:
    """A list of addresses as runs (first, count), in the order given."""
    if not len(addresses):
        return []
    cuts = np.flatnonzero(np.diff(addresses) != 1) + 1
    return [(int(run[0]), len(run)) for run in np.split(addresses, cuts)]
