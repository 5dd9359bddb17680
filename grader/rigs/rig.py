"""Run an answer of assembly: operands where the case has them, junk in every other word, and all of it watched.

Which units hold what is said here by plain indices; the layouts that the course teaches are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Literal, NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from grader.rigs.poisoned import POISON, junk, long_junk, poisoned_machine, with_stored
from simulator import Machine
from simulator.effects.accesses import Touched, Written, touched_by, words_in, written_by
from simulator.effects.places import Place as Word
from simulator.effects.places import value_of
from simulator.engine.state.elements import join_words, split_long_words
from simulator.engine.state.memories import Dram
from simulator.engine.state.rows import PARTS
from simulator.isa import ALL_PES, GROUPS, LM_WORDS, SMALL_TENSOR, TREE
from simulator.isa.program import Program
from simulator.messages import tr

Array = NDArray[Any]
Ints = NDArray[np.int64]
Bits = NDArray[np.uint32]
Memory = Literal["LM0", "LM1"]

BLOCK = 64  # rows of LM that are looked at together: they fit into a cache


def pes(l2b: Any = slice(None), l1b: Any = slice(None), mab: Any = slice(None), pe: Any = slice(None)) -> Ints:
    """The PEs of these units, as numbers 0 to 4095; an axis for every level that is not a single number."""
    numbers: Ints = np.arange(ALL_PES, dtype=np.int64).reshape(TREE)[l2b, l1b, mab, pe]
    return numbers


def bits_of(value: Any) -> int:
    """A number as the bits of a word: of a single, or the bits themselves."""
    with np.errstate(over="ignore"):
        return int(value) if isinstance(value, np.unsignedinteger) else int(np.float32(value).view(np.uint32))


def unit_name(pe: int) -> str:
    """`L2B 0, L1B 1, MAB 0, PE 3`."""
    l2b, l1b, mab, p = (int(part) for part in np.unravel_index(pe, TREE))
    return f"L2B {l2b}, L1B {l1b}, MAB {mab}, PE {p}"


class Others(NamedTuple):
    """The copies of a tensor that differ from copy 0: a unit that holds one, or "", and the copies, each kind once."""

    unit: str
    copies: tuple[Bits, ...]


ALIKE = Others("", ())


@dataclass(frozen=True, eq=False)
class Words:
    """A tensor of words in the PEs. word, pe: word address and PE of every element, of the tensor's shape.

    copies: what to add to `pe` for every copy; 0, the first, is the copy that is compared element by element.
    """

    memory: Memory
    word: Ints
    pe: Ints
    copies: tuple[int, ...] = (0,)

    def store(self, machine: Machine, bits: Bits) -> None:
        """Write the tensor into every copy."""
        _in_a_row(_memory(machine, self.memory))[self._every_copy] = bits[..., None]

    def load(self, machine: Machine) -> Bits:
        """Copy 0."""
        return _memory(machine, self.memory)[self.word, self.pe]

    def other_copies(self, machine: Machine) -> Others:
        """The copies that are not like copy 0."""
        if len(self.copies) == 1:
            return ALIKE
        found = _in_a_row(_memory(machine, self.memory))[self._every_copy]
        differs = found != found[..., :1]
        if not differs.any():
            return ALIKE
        first = tuple(np.argwhere(differs)[0])
        kinds = {copy.tobytes(): copy for copy in np.moveaxis(found, -1, 0)}
        return Others(unit_name(int(self._every_copy[first]) % _APART), tuple(kinds.values())[1:])

    @cached_property
    def _every_copy(self) -> Ints:
        """Where each element is in every copy, as an index of `_in_a_row`."""
        places: Ints = (_APART * self.word + self.pe)[..., None] + np.array(self.copies)
        return places

    def at(self, index: tuple[int, ...]) -> Word:
        """The word of an element in copy 0."""
        return Word(self.memory.lower(), int(self.pe[index]), int(self.word[index]))

    def name_of(self, index: tuple[int, ...]) -> str:
        """Where copy 0 of an element is."""
        return tr("{pe}, {memory} word {word}", unit_name(int(self.pe[index])), self.memory, int(self.word[index]))

    def machine(self, error: Array) -> Array:
        """The largest error in every PE of copy 0, [L2B, L1B, MAB, PE]."""
        largest = np.zeros(ALL_PES)
        np.maximum.at(largest, self.pe.reshape(-1), error.reshape(-1))
        return largest.reshape(TREE)


@dataclass(frozen=True, eq=False)
class DramWords:
    """A vector of long words in the DRAM of a group; as a tensor [long word, 2] of words."""

    group: int
    address: int
    count: int

    memory = "DRAM"

    @property
    def words(self) -> slice:
        """Its addresses."""
        return slice(self.address, self.address + self.count)

    def store(self, machine: Machine, bits: Bits) -> None:
        """Write the vector."""
        machine.dram[self.group].write(self.address, join_words(bits[:, 0], bits[:, 1]))

    def load(self, machine: Machine) -> Bits:
        """The vector, [count, 2]."""
        return split_long_words(machine.dram[self.group].read(self.address, self.count))

    def at(self, index: tuple[int, ...]) -> Word:
        """A word of it."""
        return Word("dram", self.group, 2 * (self.address + index[0]) + index[1])

    def name_of(self, index: tuple[int, ...]) -> str:
        """Where a word is."""
        return tr("DRAM group {group}, long word {value}", self.group, self.address + index[0])

    def machine(self, error: Array) -> Array:
        """The largest error in every group, [4]."""
        largest = np.zeros(GROUPS)
        largest[self.group] = error.max(initial=0)
        return largest


@dataclass(frozen=True, eq=False)
class DramTensor:
    """A tensor of 32-bit elements in DRAM, in group 0 or in four equal parts, as `Machine.write_dram` has it."""

    address: int
    shape: tuple[int, ...]

    memory = "DRAM"

    def store(self, machine: Machine, bits: Bits) -> None:
        """Write the tensor."""
        machine.write_dram(self.address, bits)

    def load(self, machine: Machine) -> Bits:
        """The tensor."""
        bits: Bits = machine.read_dram(self.address, self.shape, np.uint32)
        return bits

    def at(self, index: tuple[int, ...]) -> Word:
        """The word of an element."""
        group, position = divmod(int(np.ravel_multi_index(index, self.shape)), self.in_each)
        return Word("dram", group, 2 * self.address + position)

    @property
    def in_each(self) -> int:
        """Elements in a group."""
        count = prod(self.shape)
        return count if count <= SMALL_TENSOR else count // GROUPS


@dataclass(frozen=True)
class Room:
    """Words `first` to `first + count - 1` of LM in every PE; of DRAM, long words in every group."""

    memory: str
    first: int
    count: int

    @property
    def words(self) -> slice:
        """Its addresses."""
        return slice(self.first, self.first + self.count)


Place = Words | DramWords
AnyPlace = Place | DramTensor
Free = Words | DramWords | Room
"""What a program may change: the units of these places alone."""


@dataclass(frozen=True, eq=False)
class Left:
    """What a run left: the outputs as bits (copy 0), the other copies of each, a stray word as text.

    others: sums may be rounded in several ways, so that copies may differ. stray_at: the stray word itself, where there
    is one; stray_bits: what it holds.
    """

    outputs: tuple[Bits, ...]
    others: tuple[Others, ...]
    stray: str
    stray_at: Word | None = None
    stray_bits: int = 0


class Stored(Protocol):
    """A place that a case fills before a run."""

    def store(self, machine: Machine, bits: Array) -> None:
        """Put the bits there, in every copy."""

    def load(self, machine: Machine) -> Array:
        """What is there, in the first copy."""


class Given(NamedTuple):
    """What a case gives: the name that the task has for it, where it is, and what it holds, as bits."""

    name: str
    place: Stored
    bits: Array


Inputs = tuple[Given, ...]


def run(
    program: Program, inputs: Inputs, outputs: tuple[AnyPlace, ...], free: tuple[Free, ...], poison: int = POISON
) -> Left:
    """Run a program. free: what may hold anything afterwards; outputs are free only where they are in it.

    Raises ExecutionError.
    """
    written = written_by(program)
    with prepared_for(program, inputs, outputs, poison) as machine:
        before = _Before(machine, inputs, poison, written)
        machine.run(program)
        outputs_left = tuple(place.load(machine) for place in outputs)
        others = tuple(place.other_copies(machine) if isinstance(place, Words) else ALIKE for place in outputs)
        text, at = next(before.strays(machine, free), ("", None))
        return Left(outputs_left, others, text, at, value_of(machine, at) if at else 0)


def results(program: Program, inputs: Inputs, outputs: tuple[AnyPlace, ...], poison: int = POISON) -> tuple[Bits, ...]:
    """The outputs of a run alone, which takes half as long. Raises ExecutionError."""
    with prepared_for(program, inputs, outputs, poison) as machine:
        machine.run(program)
        return tuple(place.load(machine) for place in outputs)


@contextmanager
def prepared(
    inputs: Inputs, poison: int, written: Written | None = None, touched: Touched | None = None
) -> Iterator[Machine]:
    """A machine with the inputs in their places and junk everywhere else.

    written, touched: by what will run, and touched by who looks at the machine afterwards, if they are known.
    """
    places = [place for _, place, _ in inputs]
    changing, touching = _with_places(written, places), _with_places(touched, places)
    with poisoned_machine(poison, changing=changing, touching=touching) as machine:
        for _, place, bits in inputs:
            place.store(machine, bits)
        yield machine


def prepared_for(
    program: Program, inputs: Inputs, outputs: tuple[AnyPlace, ...] = (), poison: int = POISON
) -> AbstractContextManager[Machine]:
    """The same for the run of a program, after which its words and the outputs alone are looked at."""
    return prepared(inputs, poison, written_by(program), _with_places(touched_by(program), outputs))


def _with_places(named: Written | None, places: Iterable[Stored]) -> Written | None:
    """What is named, and these places; None where they may be anywhere."""
    for place in places:
        if isinstance(place, Words):
            named = with_stored(named, place.memory.lower(), _distinct(place.word))
        elif not isinstance(place, DramWords | DramTensor):
            return None
    return named


def _memory(machine: Machine, name: str) -> Bits:
    return machine.lm0 if name == "LM0" else machine.lm1


_APART = ALL_PES + ALL_PES // PARTS  # words from one row to the next, of which the last ones are not in use


def _in_a_row(memory: Bits) -> Bits:
    """A memory as one row, in which one index finds a word twice as fast as two."""
    assert memory.strides == (4 * _APART, 4)
    words = _APART * (len(memory) - 1) + ALL_PES
    return np.lib.stride_tricks.as_strided(memory, (words,), memory.strides[1:])


class _Before:
    """What LM and DRAM held before a run: junk, but for the rows and pages of the inputs. written: by the run."""

    def __init__(self, machine: Machine, inputs: Inputs, poison: int, written: Written | None) -> None:
        self._rows: dict[tuple[str, int], Bits] = {}
        for _, place, _ in inputs:
            if isinstance(place, Words):
                memory = _memory(machine, place.memory)
                self._rows |= {(place.memory, row): memory[row].copy() for row in _distinct(place.word)}
        self._pages = {
            (group, number): dram.page(number).copy()
            for group, dram in enumerate(machine.dram)
            for number in dram.pages()
        }
        self._poison, self._written = poison, written

    def strays(self, machine: Machine, free: tuple[Free, ...]) -> Iterator[tuple[str, Word]]:
        """Words outside `free` that have changed, as text and place; the first of each memory."""
        for name in ("LM0", "LM1"):
            yield from self._in_lm(machine, name, free)
        for number, dram in enumerate(machine.dram):
            yield from self._in_dram(dram, number, free)
        for number, base in enumerate((machine.bar0, machine.bar1)):
            if base.any():
                pe = int(np.flatnonzero(base)[0])
                yield tr("the base address of LM{number} in {pe}", number, unit_name(pe)), Word("bar", pe, number)

    def _in_lm(self, machine: Machine, name: str, free: tuple[Free, ...]) -> Iterator[tuple[str, Word]]:
        memory, unwritten = _memory(machine, name), junk(name.lower(), LM_WORDS, self._poison)
        pairs, unwritten_pairs = memory.view(np.uint64), np.repeat(unwritten, 2).view(np.uint64)
        for some in self._blocks(name.lower()):
            rows = some[(pairs[some] != unwritten_pairs[some, None]).any(axis=1)]
            if not len(rows):
                continue
            changed = memory[rows] != unwritten[rows, None]
            for number, row in enumerate(rows.tolist()):
                if (before := self._rows.get((name, row))) is not None:
                    changed[number] = memory[row] != before
            for place in free:
                _allow(changed, rows, place, name)
            for number in np.flatnonzero(changed.any(axis=1))[:1].tolist():
                row, pe = int(rows[number]), int(np.flatnonzero(changed[number])[0])
                yield tr("{name} word {row} of {pe}", name, row, unit_name(pe)), Word(name.lower(), pe, row)
                return

    def _blocks(self, name: str) -> Iterator[Ints]:
        """The rows that the run may have changed, some at a time."""
        words = words_in(self._written, name)
        rows = np.arange(LM_WORDS) if words is None else np.array(sorted(words), np.int64)
        for start in range(0, len(rows), BLOCK):
            yield rows[start : start + BLOCK]

    def _in_dram(self, dram: Dram, group: int, free: tuple[Free, ...]) -> Iterator[tuple[str, Word]]:
        unwritten = long_junk("dram", Dram.PAGE, self._poison)
        for number in dram.pages():
            changed = dram.page(number) != self._pages.get((group, number), unwritten)
            first = number * Dram.PAGE
            for place in free:
                if _in_group(place, group):
                    changed[max(0, place.words.start - first) : max(0, place.words.stop - first)] = False
            if changed.any():
                address = first + int(np.flatnonzero(changed)[0])
                yield tr("DRAM group {group} long word {address}", group, address), Word("dram", group, 2 * address)
                return


def _distinct(addresses: Ints) -> list[int]:
    found: list[int] = np.flatnonzero(np.bincount(addresses.ravel())).tolist()
    return found


def _allow(changed: NDArray[np.bool_], rows: Ints, place: Free, memory: str) -> None:
    """Take out of `changed` [row, PE] what may change of these words of LM."""
    if place.memory != memory:
        return
    if isinstance(place, Room):
        changed[(rows >= place.first) & (rows < place.first + place.count)] = False
        return
    assert isinstance(place, Words)
    number = np.full(LM_WORDS, -1)
    number[rows] = np.arange(len(rows))
    inside = number[place.word] >= 0
    changed[number[place.word[inside]][:, None], place.pe[inside][:, None] + np.array(place.copies)] = False


def _in_group(place: Free, group: int) -> TypeGuard[Room | DramWords]:
    return place.group == group if isinstance(place, DramWords) else place.memory == "DRAM"
