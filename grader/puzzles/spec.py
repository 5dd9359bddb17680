"""What a puzzle is: memories before, the wanted ones as a formula, mistakes with a hint each, and what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import Machine
from simulator.engine.state.elements import join_words, split_long_words
from simulator.isa import ALL_PES, L1BS, L2BS
from simulator.messages import tr

Array = NDArray[Any]
Memories = Mapping[str, Array]
"""By name: the first words of lm0, lm1, grf0, grf1 [word, PE], the first long words of l1bm [L2B, L1B, long word] and
l2bm [L2B, long word]."""

LONG = ("l1bm", "l2bm")
OLD = -1.0  # what the wanted memories of the picture hold before


@dataclass(frozen=True)
class MemoryBoard:
    """A memory as it is drawn. place: of every cell [row, column, part], the index into the memory seen as words.

    A cell stands for all its parts. rows, columns: their labels. hue: of a word, by its index; None for no colour.
    """

    memory: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    place: NDArray[np.int64]
    label: Callable[[int], str]
    hue: Callable[[int], int]
    width: int = 34


@dataclass(frozen=True, eq=False)
class Puzzle:
    """given: how many words (of l1bm and l2bm: long words) of each memory it is about.

    wanted: from the memories before, the whole of those that change. lines, steps: the most of each that an answer may
    have. before, after: lines that run around the answer. boards: what is drawn, inputs first. mistakes: wrong answers,
    and what to say to whoever writes one or anything that does the same. numbers: words are numbers that are computed
    with, in the picture small ones. early: a hint for an answer that reads too early.
    """

    task: str
    given: Mapping[str, int]
    wanted: Callable[[Memories], Memories]
    boards: tuple[MemoryBoard, ...]
    mistakes: Mapping[str, str]
    lines: int = 1
    steps: int = 1
    before: str = ""
    after: str = ""
    numbers: bool = False
    early: str = ""

    def program(self, answer: str) -> str:
        """The answer between the lines around it."""
        return "\n".join(filter(None, (self.before, answer.strip("\n"), self.after)))

    @property
    def numbers_of(self) -> dict[str, range]:
        """The numbers that the words of each memory have in the picture, from 1 on."""
        sizes = [prod(shape_of(name, count)) for name, count in self.given.items()]
        starts = np.cumsum([1, *sizes]).tolist()
        return {name: range(*ends) for name, ends in zip(self.given, pairwise(starts), strict=True)}

    @property
    def targets(self) -> tuple[str, ...]:
        """The memories that change."""
        return tuple(self.wanted(self.memories(np.zeros)))

    def memories(self, words: Callable[[tuple[int, ...]], Array]) -> dict[str, Array]:
        """The memories, their words made by `words(shape)`; long words of two each."""
        return {name: pack(name, words(shape_of(name, count))) for name, count in self.given.items()}

    def random(self, rng: np.random.Generator) -> dict[str, Array]:
        """Memories of random numbers: whole ones, so that any order of additions gives the same."""
        return self.memories(lambda shape: rng.integers(-(2**20), 2**20, shape))

    def shown(self) -> dict[str, Array]:
        """The memories of the picture: every word another number, 1 and up; of those that change, OLD."""
        targets = self.targets
        made: dict[str, Array] = {}
        for name, numbers in self.numbers_of.items():
            shape = shape_of(name, self.given[name])
            values = small(shape) if self.numbers else np.array(numbers).reshape(shape)
            made[name] = pack(name, np.full(shape, OLD) if name in targets else values)
        return made


def small(shape: tuple[int, ...]) -> Array:
    """Small numbers to compute with: 1, 2, 3, … in the words of a PE, 10 more in each next PE of a MAB."""
    words = np.arange(1, shape[0] + 1)[:, None] if len(shape) == 2 else np.arange(1, shape[-1] + 1)
    return np.broadcast_to(words + (10 * (np.arange(ALL_PES) % 4) if len(shape) == 2 else 0), shape)


def shape_of(name: str, count: int) -> tuple[int, ...]:
    """Of the words of a memory of which `count` words or long words are looked at."""
    return {"l1bm": (L2BS, L1BS, 2 * count), "l2bm": (L2BS, 2 * count)}.get(name, (count, ALL_PES))


def pack(name: str, values: Array) -> Array:
    """Numbers as single-precision bits, two of them in each long word where the memory has those."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32)
    if name not in LONG:
        return words
    return join_words(words[..., 0::2], words[..., 1::2])


def words_of(name: str, memory: Array) -> Array:
    """A memory as single words; long words fall apart in two, the upper half first."""
    if name not in LONG:
        return memory
    return split_long_words(memory).reshape(*memory.shape[:-1], -1)


@dataclass(frozen=True)
class First:
    """The first words or long words of a memory in every unit, as a place that a case fills."""

    memory: str
    count: int

    def store(self, machine: Machine, bits: Array) -> None:
        """Put them there."""
        self._part(machine)[...] = bits

    def load(self, machine: Machine) -> Array:
        """A copy of what is there."""
        return self._part(machine).copy()

    def _part(self, machine: Machine) -> Array:
        memory: Array = getattr(machine, self.memory)
        return memory[..., : self.count] if self.memory in LONG else memory[: self.count]


def places(memories: Memories) -> dict[str, First]:
    """Where the memories are in a machine."""
    return {name: First(name, m.shape[-1] if name in LONG else len(m)) for name, m in memories.items()}


def store(machine: Machine, memories: Memories) -> None:
    """Put the memories into a machine."""
    for name, place in places(memories).items():
        place.store(machine, memories[name])


def load(machine: Machine, like: Memories) -> dict[str, Array]:
    """The same words of the machine as these memories have."""
    return {name: place.load(machine) for name, place in places(like).items()}


# --- boards ----------------------------------------------------------------------------------------------------------


def pe_board(memory: str, words: int, *, parts: int = 2, mabs: int = 1, width: int = 36) -> MemoryBoard:
    """The first words of the PEs of L1B 0, 4 of each MAB: a row for each `parts` words, a column for each PE."""
    pes = 4 * mabs
    word, pe, part = np.indices((words // parts, pes, parts))
    name = memory.upper()
    letters = "abcd"

    def label(index: int) -> str:
        at, number = divmod(index, ALL_PES)
        letter = letters[number % 4]
        return f"{letter}{at}" if mabs == 1 else f"{number // 4 % 16}{letter}{at}"

    heads = [f"PE {p}" if mabs == 1 else f"{p // 4}.{p % 4}" for p in range(pes)]
    rows = tuple(tr("word {at}", at) if at == 0 else str(at) for at in range(0, words, parts))
    title = tr("{name} of MAB 0", name) if mabs == 1 else tr("{name} of MABs 0 to {value} (MAB.PE)", name, mabs - 1)
    place = (parts * word + part) * ALL_PES + pe
    return MemoryBoard(memory, title, rows, tuple(heads), place, label, lambda index: index % 4, width)


def l1bm_board(count: int, per_row: int, shown: int = 0, width: int = 34) -> MemoryBoard:
    """Long words of L1BM of L1B 0, a cell each. shown: of each row, only so many."""
    at, part = np.indices((count, 2))
    place = (2 * at + part).reshape(-1, per_row, 2)[:, : shown or per_row]
    rows = tuple(tr("long word {n}", n) if n == 0 else str(n) for n in range(0, count, per_row))
    columns = tuple(f"+{n}" for n in range(shown or per_row))
    return MemoryBoard(
        "l1bm", tr("L1BM of L1B 0"), rows, columns, place, lambda index: str(index // 2), lambda index: 5, width
    )


def l2bm_rows(count: int, first: int, length: int) -> MemoryBoard:
    """Long words of L2BM of L2B 0, eight in a cell, eight cells in a row. length: long words that are looked at."""
    row, column, part = np.indices((count // 64, 8, 16))
    place = 2 * first + 128 * row + 16 * column + part
    rows = tuple(tr("long word {n}", n) if n == first else str(n) for n in range(first, first + count, 64))

    columns = tuple(f"+{8 * n}" for n in range(8))
    title = tr("L2BM of L2B 0, a cell = 8 long words")
    return MemoryBoard("l2bm", title, rows, columns, place, _within(length), lambda index: index // 16 % 8)


def l1bm_units(count: int, first: int, length: int) -> MemoryBoard:
    """Long words of the L1BMs of all L1Bs of L2B 0, eight in a cell, a column for each L1B."""
    row, l1b, part = np.indices((count // 8, 8, 16))
    place = 2 * length * l1b + 2 * first + 16 * row + part
    rows = tuple(tr("long word {n}", n) if n == first else str(n) for n in range(first, first + count, 8))
    columns = tuple(f"L1B {n}" if n == 0 else str(n) for n in range(8))

    return MemoryBoard(
        "l1bm", tr("the L1BMs of L2B 0, a cell = 8 long words"), rows, columns, place, _within(length), lambda index: 7
    )


def _within(length: int) -> Callable[[int], str]:
    """What a word of memories of so many long words is called: its long word, in its own memory."""
    return lambda index: str(index % (2 * length) // 2)
