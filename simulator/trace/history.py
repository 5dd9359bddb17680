"""Who wrote a word before a line of a program, found by looking back (isa.md, sections 5 to 10).

Most addresses and masks stand in the text. What only a run shows (T indirection, `j`, base address registers, written
mask entries, the DRAM address table) is noted during one run, just before each line that depends on it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.effects.accesses import accesses, memory_of
from simulator.effects.inputs import Datum, Input, flag_inputs, inputs_of, names_of, sent_to
from simulator.effects.places import Place
from simulator.engine.numpy.masks import entry_flags, write_bits
from simulator.engine.numpy.operands import base_address, pe_rows
from simulator.engine.state import debug
from simulator.engine.state.memories import Flags, Memories
from simulator.isa import program as p
from simulator.isa.tree import levels_of, numbers_of
from simulator.isa.units import PATHS
from simulator.isa.words import words_of
from simulator.messages import Text

WHOLE = 0xFFFFFFFF
FLAGS = 0xF
ZERO_FLUSH = Text("zero-flush")
"""The part of a mask entry in a result that it may have made 0."""


@dataclass(frozen=True)
class Write:
    """An access that stored (some bits of) a word. index: of the line in the program; datum: where in the unit's output
    it came from, None for MV lines and debug statements; inputs: the words it was made of, with their part in it.
    """

    index: int
    bits: int
    instruction: p.Instruction | None = None
    datum: Datum | None = None
    inputs: tuple[tuple[str, Place], ...] = ()


@dataclass
class Noted:
    """What a run showed about a line. starts: first word address [cycle, pe] of operands where it is not in the text;
    through: the bits a mask lets through [cycle, word, pe], or flags for mask registers; both by instruction and end.
    """

    starts: dict[tuple[int, int], NDArray[np.uint16]] = field(default_factory=dict)
    through: dict[tuple[int, int], NDArray[Any]] = field(default_factory=dict)
    table: NDArray[np.uint32] | None = None


class History:
    """The writes of one run of a program. Make one, run the program with `observer`, then ask `writes`."""

    def __init__(self, program: p.Program, start: Memories) -> None:
        """start: the memories before the run."""
        self.lines = program.lines
        self._memories = start
        self._notes: dict[int, Noted] = {}
        self._masks: dict[tuple[p.WriteMask, int], tuple[Flags, NDArray[Any]]] = {}
        self._position = 0
        self._writers: dict[str, list[int]] = defaultdict(list)
        self._statements: dict[tuple[str, int], list[int]] = defaultdict(list)
        for index, line in enumerate(self.lines):
            self._index(index, line)
        self._note()

    def _index(self, index: int, line: p.Line) -> None:
        if isinstance(line, p.DebugSet):
            for address in debug.addresses(line.target, len(line.values)):
                self._statements[line.target.memory, address].append(index)
        elif isinstance(line, p.DramPreset):
            for offset in range(len(line.values)):
                self._statements["dram", (line.address + offset) % isa.DRAM_LONGS].append(index)
        elif not isinstance(line, p.DebugGet):
            parts = (line,) if isinstance(line, p.Move) else line.instructions
            silent = any(isinstance(part, p.Instruction) and part.op == "noforward" for part in parts)
            written = (a for part in parts for a in accesses(part) if a.written and not (silent and a.end is None))
            for memory in {access.memory for access in written}:
                self._writers[memory].append(index)

    # --- during the run ----------------------------------------------------------------------------------------------

    def observer(self, _: p.Line) -> None:
        """To be called after every line of the run."""
        self._position += 1
        self._note()

    def _note(self) -> None:
        if self._position >= len(self.lines):
            return
        line = self.lines[self._position]
        if isinstance(line, p.Step):
            noted = Noted()
            for number, instruction in enumerate(line.instructions):
                self._note_instruction(noted, number, instruction)
            if noted.starts or noted.through:
                self._notes[self._position] = noted
        elif isinstance(line, p.Move) and any(access.memory == "dar" for access in accesses(line)):
            self._notes[self._position] = Noted(table=self._memories.dar.copy())

    def _note_instruction(self, noted: Noted, number: int, instruction: p.Instruction) -> None:
        memories = self._memories
        for position, end in enumerate(instruction.ends):
            operand = end.operand
            if isinstance(operand, p.PeMemory):
                base = base_address(memories, operand.bank)
                if operand.indirect or base is not None:
                    noted.starts[number, position] = pe_rows(memories, operand, base)[:, 0].astype(np.uint16)
            if isinstance(end, p.Destination) and end.mask is not None:
                noted.through[number, position] = self._through(end.mask, operand)

    def _through(self, mask: p.WriteMask, operand: p.Operand) -> NDArray[Any]:
        """The bits that a mask lets through now; the same array as long as its entry does not change."""
        words = 0 if isinstance(operand, p.MaskRegister) else getattr(operand, "words", 4)
        flags = entry_flags(self._memories, mask.entry)
        kept = self._masks.get((mask, words))
        if kept is None or not np.array_equal(kept[0], flags):
            flags = np.array(flags)
            kept = flags, write_bits(self._memories, mask, words) if words else flags
            self._masks[mask, words] = kept
        return kept[1]

    # --- after the run -----------------------------------------------------------------------------------------------

    def writes(self, place: Place, before: int) -> tuple[list[Write], int]:
        """Who wrote what `place` holds before line number `before` of the program (an index): the last write first.

        More than one where masks let only a part of the later ones through. Also the bits that are from before the run.
        """
        remaining = FLAGS if place.memory == "omr" else WHOLE
        found: list[Write] = []
        for index in self._candidates(place, before):
            for write in self._line_writes(index, place):
                if write.bits & remaining:
                    found.append(write)
                    remaining &= ~write.bits
                if not remaining:
                    return found, 0
        return found, remaining

    def _candidates(self, place: Place, before: int) -> Iterator[int]:
        """Lines that may write the place, last first."""
        lists = [self._writers.get(place.memory, [])]
        for address in _statement_addresses(place):
            lists.append(self._statements.get((place.memory, address), []))
        positions = [bisect_left(indices, before) for indices in lists]
        while any(positions):
            latest = max(range(len(lists)), key=lambda k: lists[k][positions[k] - 1] if positions[k] else -1)
            positions[latest] -= 1
            yield lists[latest][positions[latest]]

    def _line_writes(self, index: int, place: Place) -> Iterator[Write]:
        line = self.lines[index]
        if isinstance(line, p.DebugSet):
            if _names(line.target, place):
                yield Write(index, WHOLE)
        elif isinstance(line, p.DramPreset):
            if line.group == place.unit:
                yield Write(index, WHOLE)
        elif isinstance(line, p.Move):
            inputs = sent_to(line, place, self._notes[index].table if index in self._notes else None)
            if inputs is not None:
                yield Write(index, WHOLE, inputs=tuple(("from", a.where) for a in inputs if isinstance(a.where, Place)))
        elif isinstance(line, p.Step):
            for number, instruction in enumerate(line.instructions):
                yield from self._instruction_writes(index, number, instruction, place)

    def _instruction_writes(self, index: int, number: int, instruction: p.Instruction, place: Place) -> Iterator[Write]:
        if place.memory in PATHS:
            datum = Datum(place.unit, *divmod(place.word, 4))
            if instruction.path == place.memory:
                yield self._made(index, number, instruction, datum, WHOLE)
            return
        if place.memory == "turn" and instruction.form.from_pes:
            yield from self._sent(index, number, instruction, place)
        for position, destination in enumerate(instruction.destinations, len(instruction.sources)):
            operand = destination.operand
            if isinstance(operand, p.L1bm | p.L2bm | p.Matrix):
                if memory_of(operand) == place.memory:
                    yield from self._sent(index, number, instruction, place)
            elif memory_of(operand) == place.memory:
                yield from self._stored(index, number, position, instruction, operand, place)

    def _sent(self, index: int, number: int, instruction: p.Instruction, place: Place) -> Iterator[Write]:
        inputs = sent_to(instruction, place)
        if inputs is not None:
            datum = inputs[0].where if inputs and isinstance(inputs[0].where, Datum) else None
            yield Write(index, WHOLE, instruction, datum, self._named(index, number, instruction, inputs))

    def _stored(
        self, index: int, number: int, position: int, instruction: p.Instruction, operand: p.Operand, place: Place
    ) -> Iterator[Write]:
        """Writes of one destination in a PE, the last cycle first."""
        noted = self._notes.get(index, Noted())
        for cycle in reversed(range(isa.STEP_CYCLES)):
            word = self._word(noted, (number, position), operand, place, cycle)
            if word is None:
                continue
            datum = Datum(place.unit, cycle, word)
            through = noted.through.get((number, position))
            lanes = None if through is None else through[cycle, :, place.unit if through.shape[2] > 1 else 0]
            if isinstance(operand, p.MaskRegister):  # all four flags are written: a mask clears what it excludes
                inputs = flag_inputs(instruction, datum) if lanes is None or lanes.any() else []
                yield Write(index, FLAGS, instruction, datum, self._named(index, number, instruction, inputs))
            elif bits := WHOLE if lanes is None else int(lanes[word]):
                yield self._made(index, number, instruction, datum, bits)

    def _word(self, noted: Noted, end: tuple[int, int], operand: p.Operand, place: Place, cycle: int) -> int | None:
        """The word of the datum that a destination stores at `place` in a cycle; None where it stores none there."""
        if isinstance(operand, p.PeMemory):
            words = self._words(noted, end, operand, place.unit, cycle)
            return place.word - words.start if place.word in words else None
        if isinstance(operand, p.TRegister):
            return place.word % 4 if place.word // 4 == cycle else None
        if isinstance(operand, p.MaskRegister):
            return 0 if place.word == 4 * operand.entry + cycle else None
        if isinstance(operand, p.BaseAddress):
            return operand.words - 1 if place.word == int(operand.bank == "lm1") else None
        return None

    @staticmethod
    def _words(noted: Noted, end: tuple[int, int], operand: p.PeMemory, pe: int, cycle: int) -> range:
        if end not in noted.starts:
            return words_of(operand, cycle, pe % isa.PES_PER_MAB)
        start = int(noted.starts[end][cycle, pe])
        return range(start, start + operand.words)

    def _made(self, index: int, number: int, instruction: p.Instruction, datum: Datum, bits: int) -> Write:
        named = self._named(index, number, instruction, inputs_of(instruction, datum))
        if instruction.flush is not None and not p.is_fixed(instruction.flush):
            entry = Place("omr", datum.pe, isa.STEP_CYCLES * instruction.flush + datum.cycle)
            named = (*named, (ZERO_FLUSH, entry))
        return Write(index, bits, instruction, datum, named)

    def _named(
        self, index: int, number: int, instruction: p.Instruction, inputs: Sequence[Input]
    ) -> tuple[tuple[str, Place], ...]:
        """Inputs as places, with the name they have in the meaning of the instruction."""
        noted = self._notes.get(index, Noted())
        called = names_of(instruction)
        found: dict[tuple[str, Place], None] = {}
        for source, where in inputs:
            operand = instruction.sources[source].operand
            place = where if isinstance(where, Place) else self._place(noted, (number, source), operand, where)
            if place is not None:
                found[called[source], place] = None
            if isinstance(operand, p.PeMemory) and operand.indirect and isinstance(where, Datum):
                found["address", Place("t", where.pe, 4 * where.cycle + 1)] = None
        return tuple(found)

    def _place(self, noted: Noted, end: tuple[int, int], operand: p.Operand, at: Datum) -> Place | None:
        """Where a source operand reads a word of its datum; None for constants and words beyond the operand."""
        if isinstance(operand, p.PeMemory):
            if at.word >= operand.words:
                return None
            return Place(operand.bank, at.pe, self._words(noted, end, operand, at.pe, at.cycle)[at.word])
        if isinstance(operand, p.TRegister):
            return Place("t", at.pe, 4 * at.cycle + at.word)
        return Place(operand.name, at.pe, 4 * at.cycle + at.word) if isinstance(operand, p.Path) else None


# --- debug statements ------------------------------------------------------------------------------------------------


def _statement_addresses(place: Place) -> tuple[int, ...]:
    """The addresses a debug statement has for the long words that may hold the place."""
    if place.memory in isa.BANK_WORDS:
        return place.word, (place.word - 1) % isa.BANK_WORDS[place.memory]
    if place.memory == "t":
        return (place.word // 4,) if place.word % 4 < 2 else ()
    return (place.word // 2,)


def _names(target: p.DebugTarget, place: Place) -> bool:
    """True where a debug statement names the unit of the place."""
    levels = levels_of(target.memory)
    numbers = numbers_of(levels, place.unit)
    return all(getattr(target, level) in (None, number) for level, number in zip(levels, numbers, strict=True))
