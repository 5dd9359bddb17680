"""A machine with junk in every memory, so that a word that is read without having been written shows.

Every word of junk tells its memory and its address (the last 12 bits), so that junk which is moved to another place is
not taken for what was there. There are two kinds, of which an answer must give the same: POISON is large and positive,
and sets all masks; OTHER_POISON is large and negative in words of even address, no number in the others, and clears all
masks. Base addresses are zero, as a kernel finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator import Machine
from simulator.effects.accesses import Written
from simulator.engine import native
from simulator.engine.state.memories import Dram
from simulator.isa import GROUPS

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
    """A machine that is done with, and what of its memories may be no junk."""

    machine: Machine
    changed: Written | None


_spare: dict[tuple[int, str], _Spare] = {}  # by junk and engine: to fill it again is many times faster than to begin


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

    def has_page(self, number: int) -> bool:
        """Every page is there: the native engine reads those alone."""
        return True

    def page(self, number: int) -> NDArray[np.uint64]:
        """As in `Dram`."""
        known, page = super().has_page(number), super().page(number)
        if not known:
            page[...] = self._junk
        return page

    def read(self, address: int, count: int) -> NDArray[np.uint64]:
        """As in `Dram`."""
        for number, _, _ in self._pieces(address, count):
            self.page(number)
        return super().read(address, count)


@cache
def fastest() -> str:
    """The engine that cases run on: the native one where it is built, which gives the same results in less time."""
    return "native" if native.is_built() else "numpy"


@contextmanager
def poisoned_machine(
    poison: int = POISON, engine: str | None = None, changing: Written | None = None
) -> Iterator[Machine]:
    """A machine whose memories hold junk. changing: what of them may be changed, if that is known.

    It serves others afterwards: what is to be kept must be copied.
    """
    kind = poison, engine or fastest()
    machine, changed = _spare.pop(kind) if kind in _spare else _Spare(Machine(kind[1], threads=1), None)
    _fill(machine, poison, changed)
    try:
        yield machine
    finally:
        _spare[kind] = _Spare(machine, changing)


def with_stored(changing: Written | None, memory: str, words: Iterable[int]) -> Written | None:
    """What will not be junk where these words are stored too."""
    known = changing.get(memory, frozenset()) if changing is not None else None
    if changing is None or known is None:
        return changing
    return {**changing, memory: known.union(words)}


def _fill(machine: Machine, poison: int, changed: Written | None) -> None:
    """Fill the memories with junk. changed: where there may be something else; None: anywhere."""
    for name in (*LM, "grf0", "grf1"):
        memory = getattr(machine, name)
        for some in _stretches(name, changed):
            memory[some] = junk(name, len(memory), poison)[some, None]
    machine.t[...] = junk("t", 16, poison).reshape(4, 4, 1)
    for name in ("mx", "my"):
        if changed is None or name in changed:
            getattr(machine, name)[...] = junk(name, 128, poison).reshape(16, 1, 8)
    for name in _LONG_WORDS[:3]:
        memory = getattr(machine, name)
        for some in _stretches(name, changed):
            memory[..., some] = long_junk(name, memory.shape[-1], poison)[some]
    machine.paths = {name: junk(name, 16, poison).reshape(4, 4, 1) for name in _PATHS}
    machine.omr[1:16] = poison == POISON
    machine.bar0[...] = machine.bar1[...] = 0
    machine.turnaround = None
    machine.dram = tuple(JunkDram(poison) for _ in machine.dram)
    machine.dar[...] = 4096 * (poison + 1)
    machine.dar_fetched, machine.dar_next = np.zeros((GROUPS, 0), np.uint32), (0, 0)


def _stretches(name: str, changed: Written | None) -> Iterator[slice]:
    """The words of a memory that may be no junk, those that lie side by side together."""
    words = None if changed is None else changed.get(name, frozenset())
    if words is None:
        yield slice(None)
    elif words:
        known = np.array(sorted(words))
        for some in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
            yield slice(int(some[0]), int(some[-1]) + 1)
