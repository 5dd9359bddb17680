"""A machine with the same junk in every memory of the chip, so that a word read without having been written shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from simulator import Machine

POISON = 0x7E5A5A5A  # a large finite number
OTHER_POISON = 0x7D3C3C3C

WORDS = ("lm0", "lm1", "grf0", "grf1", "t", "mx", "my")
LONG_WORDS = ("l1bm", "l2bm", "pdm")

_spare: list[dict[str, Any]] = []  # memories of a machine that is done with: to fill them again is five times faster


@contextmanager
def poisoned_machine(poison: int = POISON) -> Iterator[Machine]:
    """A machine whose memories hold `poison`, but for DRAM (zero) and the mask register (all set, or none).

    Its memories serve another machine afterwards: what is to be kept must be copied.
    """
    machine = Machine()
    for name, memory in (_spare.pop() if _spare else {}).items():
        setattr(machine, name, memory)
    for name in WORDS:
        getattr(machine, name)[...] = np.uint32(poison)
    for name in LONG_WORDS:
        getattr(machine, name)[...] = np.uint64(poison << 32 | poison)
    machine.omr[1:16] = poison == POISON
    try:
        yield machine
    finally:
        if not _spare:
            _spare.append({name: getattr(machine, name) for name in (*WORDS, *LONG_WORDS)})
