"""Run an answer of assembly (tasks 4.2 to 4.5): operands where the case has them, junk in every other word.

Which units hold what is said here by plain indices; the layouts that the course teaches are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from grader.poisoned import POISON, poisoned_machine
from simulator import Machine
from simulator.program import Program

Array = NDArray[Any]
Ints = NDArray[np.int64]
Bits = NDArray[np.uint32]
Memory = Literal["LM0", "LM1"]

WATCHED = 1024  # long words of DRAM on both sides of a vector


def pes(l2b: Any = slice(None), l1b: Any = slice(None), mab: Any = slice(None), pe: Any = slice(None)) -> Ints:
    """The PEs of these units, as numbers 0 to 4095; an axis for every level that is not a single number."""
    numbers: Ints = np.arange(4096, dtype=np.int64).reshape(8, 8, 16, 4)[l2b, l1b, mab, pe]
    return numbers


def unit_name(pe: int) -> str:
    """`L2B 0, L1B 1, MAB 0, PE 3`."""
    l2b, l1b, mab, p = (int(part) for part in np.unravel_index(pe, (8, 8, 16, 4)))
    return f"L2B {l2b}, L1B {l1b}, MAB {mab}, PE {p}"


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
        for offset in self.copies:
            _memory(machine, self.memory)[self.word, self.pe + offset] = bits

    def load(self, machine: Machine) -> Bits:
        """Copy 0."""
        return _memory(machine, self.memory)[self.word, self.pe]

    def odd_copy(self, machine: Machine) -> str:
        """A unit whose copy is not copy 0, or ""."""
        memory, first = _memory(machine, self.memory), self.load(machine)
        for offset in self.copies:
            differs = memory[self.word, self.pe + offset] != first
            if differs.any():
                return unit_name(int((self.pe + offset)[differs][0]))
        return ""

    def name_of(self, index: tuple[int, ...]) -> str:
        """Where copy 0 of an element is."""
        return f"{unit_name(int(self.pe[index]))}, {self.memory} word {int(self.word[index])}"

    def machine(self, error: Array) -> Array:
        """The largest error in every PE of copy 0, [L2B, L1B, MAB, PE]."""
        largest = np.zeros(4096)
        np.maximum.at(largest, self.pe.reshape(-1), error.reshape(-1))
        return largest.reshape(8, 8, 16, 4)


@dataclass(frozen=True, eq=False)
class DramWords:
    """A vector of long words in the DRAM of a group; as a tensor [long word, 2] of words."""

    group: int
    address: int
    count: int

    memory = "DRAM"

    def store(self, machine: Machine, bits: Bits) -> None:
        """Write the vector."""
        values = bits.astype(np.uint64)
        machine.dram[self.group][self.address : self.address + self.count] = (
            values[:, 0] << np.uint64(32) | values[:, 1]
        )

    def load(self, machine: Machine) -> Bits:
        """The vector, [count, 2]."""
        values = machine.dram[self.group][self.address : self.address + self.count]
        return np.stack([values >> np.uint64(32), values & np.uint64(0xFFFFFFFF)], axis=1).astype(np.uint32)

    def odd_copy(self, machine: Machine) -> str:
        """There is one copy only."""
        return ""

    def name_of(self, index: tuple[int, ...]) -> str:
        """Where a word is."""
        return f"DRAM group {self.group}, long word {self.address + index[0]}"

    def machine(self, error: Array) -> Array:
        """The largest error in every group, [4]."""
        largest = np.zeros(4)
        largest[self.group] = error.max(initial=0)
        return largest


Place = Words | DramWords


@dataclass(frozen=True, eq=False)
class Operand:
    """A tensor of a case: its name, where it is, and what it holds, as bits; of an output, what it should hold."""

    name: str
    place: Place
    bits: Bits


@dataclass(frozen=True, eq=False)
class Left:
    """What a run left: the outputs as bits (copy 0), a unit with another copy or "" for each, a stray word as text."""

    outputs: tuple[Bits, ...]
    odd_copies: tuple[str, ...]
    stray: str


def run(
    program: Program, inputs: tuple[Operand, ...], outputs: tuple[Place, ...], loose: tuple[Words, ...] = (),
    junk: int = POISON,
) -> Left:  # fmt: skip
    """Run a program. loose: words that may hold anything afterwards. Raises ExecutionError."""
    with poisoned_machine(junk) as machine:
        return _run(machine, program, inputs, outputs, loose, junk)


def _run(
    machine: Machine, program: Program, inputs: tuple[Operand, ...], outputs: tuple[Place, ...],
    loose: tuple[Words, ...], junk: int,
) -> Left:  # fmt: skip
    window = range(0, 0)
    for place in (*(operand.place for operand in inputs), *outputs):
        if isinstance(place, DramWords):
            window = _wider(window, place)
    for group in machine.dram:
        group[window.start : window.stop] = np.full(len(window), junk << 32 | junk, np.uint64)
    for operand in inputs:
        operand.place.store(machine, operand.bits)
    dram = [group[window.start : window.stop] for group in machine.dram]
    machine.run(program)
    found = (*_stray_words(machine, junk, inputs, (*outputs, *loose)), *_stray_dram(machine, dram, window, outputs))
    return Left(
        tuple(place.load(machine) for place in outputs),
        tuple(place.odd_copy(machine) for place in outputs),
        found[0] if found else "",
    )


def _memory(machine: Machine, name: str) -> Bits:
    return machine.lm0 if name == "LM0" else machine.lm1


def _wider(window: range, place: DramWords) -> range:
    """The watched part of DRAM, with a further vector in it."""
    first, last = max(0, place.address - WATCHED), place.address + place.count + WATCHED
    return range(min(window.start, first), max(window.stop, last)) if window else range(first, last)


def _stray_words(machine: Machine, junk: int, inputs: tuple[Operand, ...], free: tuple[Place, ...]) -> Iterator[str]:
    """Words of LM outside `free` that are neither junk nor the input that was there; the first of each memory."""
    for name in ("LM0", "LM1"):
        memory = _memory(machine, name)
        changed = memory != np.uint32(junk)
        for operand in inputs:
            place = operand.place
            if isinstance(place, Words) and place.memory == name:
                for offset in place.copies:
                    changed[place.word, place.pe + offset] = memory[place.word, place.pe + offset] != operand.bits
        for place in free:
            if isinstance(place, Words) and place.memory == name:
                for offset in place.copies:
                    changed[place.word, place.pe + offset] = False
        if changed.any():
            word, pe = (int(number) for number in np.argwhere(changed)[0])
            yield f"{name} word {word} of {unit_name(pe)}"


def _stray_dram(machine: Machine, before: list[Array], window: range, outputs: tuple[Place, ...]) -> Iterator[str]:
    for number, old in enumerate(before):
        changed = machine.dram[number][window.start : window.stop] != old
        for place in outputs:
            if isinstance(place, DramWords) and place.group == number:
                changed[place.address - window.start : place.address + place.count - window.start] = False
        if changed.any():
            yield f"DRAM group {number} long word {window.start + int(np.flatnonzero(changed)[0])}"
