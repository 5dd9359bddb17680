"""A machine with junk in every memory, so that a word that is read without having been written shows.

Every word of junk tells its memory and its address (the last 12 bits), so that junk which is moved to another place is
not taken for what was there. There are two kinds, of which an answer must give the same: POISON is large and positive,
and sets all masks; OTHER_POISON is large and negative in words of even address, no number in the others, and clears all
masks. Base addresses are zero, as a kernel finds them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator import Machine
from simulator.effects.accesses import Written
from simulator.engine.state.memories import Dram

POISON, OTHER_POISON = 0, 1

_HIGH_BITS = ((0x7E5, 0x7E5), (0xFD3, 0xFFB))  # bits 20 to 31 of the words at even and odd addresses
_ADDRESS = 0xFFF
HIGH_BITS = tuple(sorted({bits for kind in _HIGH_BITS for bits in kind}))
"""The highest 12 bits that words of junk have."""
LM = ("lm0", "lm1")
_WORDS = (*LM, "grf0", "grf1", "t", "mx", "my")
_LONG_WORDS = ("l1bm", "l2bm", "pdm", "dram")
_PATHS = ("aluf", "mauf", "lbf", "mreadf")
_TAGS = {name: number for number, name in enumerate((*_WORDS, *_LONG_WORDS, *_PATHS), 1)}


class _Spare(NamedTuple):
    """The memories of a machine that is done with, and what of them may be no junk."""

    memories: dict[str, Any]
    changed: Written | None


_spare: dict[int, _Spare] = {}  # by the kind of junk: to fill them again is many times faster than to begin


@lru_cache(maxsize=64)
def junk(memory: str, count: int, poison: int) -> NDArray[np.uint32]:
    """What the words 0 to count - 1 of a memory hold, [count]."""
    address = np.arange(count, dtype=np.uint32)
    high = np.array(_HIGH_BITS[poison], np.uint32)[address % 2]
    words = high << np.uint32(20) | np.uint32(_TAGS[memory] << 12) | address & np.uint32(_ADDRESS)
    words.flags.writeable = False
    return words


@lru_cache(maxsize=64)
def long_junk(memory: str, count: int, poison: int) -> NDArray[np.uint64]:
    """The same of long words, [count]."""
    words = junk(memory, 2 * count, poison).astype(np.uint64)
    return words[0::2] << np.uint64(32) | words[1::2]


def is_junk(bits: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which words are of either kind."""
    return np.isin(bits >> np.uint32(20), np.array(_HIGH_BITS, np.uint32))


class JunkDram(Dram):
    """The DRAM of one group with junk in every page."""

    def __init__(self, poison: int) -> None:
        """poison: the kind of junk."""
        super().__init__()
        self._junk = long_junk("dram", self.PAGE, poison)

    def page(self, number: int) -> NDArray[np.uint64]:
        """As in `Dram`."""
        if self.has_page(number):
            return super().page(number)
        page = super().page(number)
        page[...] = self._junk
        return page

    def read(self, address: int, count: int) -> NDArray[np.uint64]:
        """As in `Dram`."""
        for number, _, _ in self._pieces(address, count):
            self.page(number)
        return super().read(address, count)


@contextmanager
def poisoned_machine(poison: int = POISON, engine: str = "numpy", changing: Written | None = None) -> Iterator[Machine]:
    """A machine whose memories hold junk. changing: what of them may be changed, if that is known.

    Its memories serve another machine afterwards: what is to be kept must be copied.
    """
    machine = Machine(engine)
    spare = _spare.pop(poison, None) or _Spare({}, None)
    for name, memory in spare.memories.items():
        setattr(machine, name, memory)
    _fill(machine, poison, spare.changed)
    try:
        yield machine
    finally:
        memories = {name: getattr(machine, name) for name in (*_WORDS, *_LONG_WORDS[:3])}
        _spare[poison] = _Spare(memories, changing)


def _fill(machine: Machine, poison: int, changed: Written | None) -> None:
    """Fill the memories with junk. changed: where there may be something else; None: anywhere."""
    for name in (*LM, "grf0", "grf1"):
        memory, words = getattr(machine, name), None if changed is None else changed.get(name, frozenset())
        rows = slice(None) if words is None else sorted(words)
        memory[rows] = junk(name, len(memory), poison)[rows, None]
    machine.t[...] = junk("t", 16, poison).reshape(4, 4, 1)
    for name in ("mx", "my"):
        getattr(machine, name)[...] = junk(name, 128, poison).reshape(16, 1, 8)
    for name in _LONG_WORDS[:3]:
        if changed is None or name in changed:
            memory = getattr(machine, name)
            memory[...] = long_junk(name, memory.shape[-1], poison)
    machine.paths = {name: junk(name, 16, poison).reshape(4, 4, 1) for name in _PATHS}
    machine.omr[1:16] = poison == POISON
    machine.dram = tuple(JunkDram(poison) for _ in machine.dram)
    machine.dar[...] = 4096 * (poison + 1)
