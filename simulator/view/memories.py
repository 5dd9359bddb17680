"""Which addresses of the memories a page has something to show for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator import isa
from simulator.engine.state.contents import KINDS, Addresses, contents, path_addresses
from simulator.engine.state.memories import Memories
from simulator.isa import ALL_L1BS
from simulator.isa.units import PATHS


def in_use(memories: Memories, memory: str, junk: Sequence[int] = ()) -> Addresses:
    """The addresses that are not zero in some unit. DRAM, which is too large to look through, gives none.

    junk: the highest 12 bits of words that nobody has put there. With it only LM is looked at.
    """
    if memory == "dram" or (memory == "turn" and memories.turnaround is None):
        return np.zeros(0, np.int64)
    if junk:
        if not memory.startswith("lm"):
            return np.zeros(0, np.int64)
        words = getattr(memories, memory)  # junk is the same in all PEs
        return np.flatnonzero((words != words[:, :1]).any(axis=1) | ~np.isin(words[:, 0] >> np.uint32(20), junk))
    if memory in isa.BANK_WORDS:
        return np.flatnonzero(getattr(memories, memory).any(axis=1))
    size = KINDS[memory].size
    if memory in PATHS:
        candidates = path_addresses(memories, memory)
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
