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
from simulator.effects.accesses import Touched, Written, words_in
from simulator.engine import native
from simulator.engine.state.memories import Dram
from simulator.isa import GROUPS
from simulator.isa.words import runs_of

POISON, OTHER_POISON = 0, 1

_HIGH_BITS = ((0x7E5, 0x7E5), (0xFD3, 0xFFB))  # bits 20 to 31 of the words at even and odd addresses
_ADDRESS = 0xFFF
HIGH_BITS = tuple(sorted({bits for kind in _HIGH_BITS for bits in kind}))
"""The highest 12 bits that words of junk have."""
LM = ("lm0", "lm1")
_WORDS = (*LM, "grf0", "grf1", "t", "mx", "my")
_LONG_WORDS = ("l1bm", "l2bm", "pdm", "dram")
_PATHS = ("aluf", "mauf", "lbf", "mreadf")
_FILLED = (*LM, "grf0", "grf1", *_LONG_WORDS[:3])
"""Memories that are filled word by word."""
MOST_IDLE = 1024
"""Rows of LM, of 16 KiB each: a machine that holds more of them for nothing makes room for a new one."""
_TAGS = {name: number for number, name in enumerate((*_WORDS, *_LONG_WORDS, *_PATHS), 1)}


class _Spare(NamedTuple):
    """A machine that is done with, and which words of its memories may be no junk."""

    machine: Machine
    odd: dict[str, NDArray[np.bool_]]


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
    poison: int = POISON,
    engine: str | None = None,
    changing: Written | None = None,
    touching: Touched | None = None,
) -> Iterator[Machine]:
    """A machine whose memories hold junk. changing: what of them may be changed, if that is known.

    touching: what will be looked at, if that is known: elsewhere there may be zeros, which take no memory, or what
    others left. It serves others afterwards: what is to be kept must be copied.
    """
    kind = poison, engine or fastest()
    spare = _spare.pop(kind, None)
    machine, odd = spare if spare and _idle(spare, touching) <= MOST_IDLE else _new(kind[1])
    _fill(machine, poison, odd, touching)
    try:
        yield machine
    finally:
        for name, words in odd.items():
            words[_words(changing, name, len(words))] = True
        _spare[kind] = _Spare(machine, odd)


def _idle(spare: _Spare, touching: Touched | None) -> int:
    """Rows of LM that are filled and that nobody will look at."""
    filled = {name: ~spare.odd[name] for name in LM}
    return sum(int(some.sum() - some[_words(touching, name, len(some))].sum()) for name, some in filled.items())


def _new(engine: str) -> _Spare:
    machine = Machine(engine, threads=1)
    counts = {name: getattr(machine, name).shape[_axis(name)] for name in _FILLED} | {"mx": 128, "my": 128}
    return _Spare(machine, {name: np.ones(count, np.bool_) for name, count in counts.items()})


def with_stored(changing: Written | None, memory: str, words: Iterable[int]) -> Written | None:
    """What is named where these words are, too."""
    known = words_in(changing, memory)
    if changing is None or known is None:
        return changing
    return {**changing, memory: known.union(words)}


def _fill(machine: Machine, poison: int, odd: dict[str, NDArray[np.bool_]], touching: Touched | None) -> None:
    """Fill the memories with junk where it is missing and will be looked at."""
    for name in _FILLED:
        wanted = _words(touching, name, len(odd[name]))
        wanted = wanted[odd[name][wanted]]
        memory = getattr(machine, name)
        for some in (slice(*span) for span in runs_of(wanted)):
            if _axis(name):
                memory[..., some] = long_junk(name, memory.shape[-1], poison)[some]
            else:
                memory[some] = junk(name, len(memory), poison)[some, None]
        odd[name][wanted] = False
    for name in ("mx", "my"):
        if odd[name].any():
            getattr(machine, name)[...] = junk(name, 128, poison).reshape(16, 1, 8)
            odd[name][:] = False
    machine.t[...] = junk("t", 16, poison).reshape(4, 4, 1)
    machine.paths = {name: junk(name, 16, poison).reshape(4, 4, 1) for name in _PATHS}
    machine.omr[1:16] = poison == POISON
    machine.bar0[...] = machine.bar1[...] = 0
    machine.turnaround = None
    machine.dram = tuple(JunkDram(poison) for _ in machine.dram)
    machine.dar[...] = 4096 * (poison + 1)
    machine.dar_fetched, machine.dar_next = np.zeros((GROUPS, 0), np.uint32), (0, 0)


def _axis(name: str) -> int:
    """The axis of a memory that counts its words."""
    return -1 if name in _LONG_WORDS else 0


def _words(named: Touched | None, name: str, count: int) -> NDArray[np.int64]:
    """The words of a memory that are named, in any order. count: how many it has."""
    words = words_in(named, name)
    return np.arange(count) if words is None else np.fromiter(words, np.int64, len(words))
