"""Which words a line reads and writes, as far as its text tells (isa.md, sections 5 to 10).

Memories have the names and the addresses of `simulator.engine.state.contents`: words in PEs and MABs (of T and of a
forwarding path 4 per cycle, of a matrix register 8 per row), entries of the mask register, else long words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simulator import isa
from simulator.isa import program as p
from simulator.isa.formulas import parse
from simulator.isa.gather import Side, gather_of
from simulator.isa.transfers import ELEMENTS, matrix_constants, move_transfer, turnaround_block
from simulator.isa.words import Spans, block_spans, pe_spans, runs_of, stretch
from simulator.once import once_per_program

FETCHED = "fetched"
"""The buffer of the DRAM address table, which only `l2bmdars` and `l2bmdarw` use."""
FETCHED_LONGS = 256
"""Long words that `l2bmdars` fetches: 64 in each of the four cycles."""
MATRIX_WORDS = 8
EVERY_CYCLE: Spans = tuple(((4 * cycle, 4 * cycle + 4),) for cycle in range(isa.STEP_CYCLES))
"""The words of T and of forwarding paths."""
_INDEX: Spans = tuple(((4 * cycle + 1, 4 * cycle + 2),) for cycle in range(isa.STEP_CYCLES))

_MEMORIES: Mapping[type, str] = {
    p.TRegister: "t",
    p.BaseAddress: "bar",
    p.MaskRegister: "omr",
    p.L1bm: "l1bm",
    p.Turnaround: "turn",
    p.L2bm: "l2bm",
    p.Pdm: "pdm",
    p.Dram: "dram",
    p.DramIndirect: "dram",
    p.Dar: FETCHED,
}


def memory_of(operand: p.Operand) -> str:
    """The memory that an operand is in; "" for constants and `$nowrite`."""
    if isinstance(operand, p.PeMemory):
        return operand.bank
    if isinstance(operand, p.Matrix):
        return f"m{operand.register}"
    return operand.name if isinstance(operand, p.Path) else _MEMORIES.get(type(operand), "")


class Access(NamedTuple):
    """One memory that an instruction or an MV line reads or writes.

    words: the addresses in each cycle, or those of the whole line at once; None where only the run tells them. What a
    mask leaves out is not left out here. end: the operand that names them, and its number among sources, then
    destinations; None for masks and for what a unit keeps (forwarding path, turnaround register, address table).
    finds: no operand itself, but what finds its words: T, a base address register, the DRAM address table. units: of
    an MV line, the groups or L2Bs that take part.
    """

    memory: str
    written: bool
    words: Spans | None
    end: p.Source | p.Destination | None = None
    number: int = -1
    finds: bool = False
    units: tuple[int, ...] = ()


@lru_cache(maxsize=1 << 16)
def accesses(line: p.Instruction | p.Move) -> tuple[Access, ...]:
    """Every access: sources, masks, destinations, what the unit keeps. In a step with `noforward` it keeps nothing."""
    return tuple(_of_move(line) if isinstance(line, p.Move) else _of_instruction(line))


def _of_instruction(line: p.Instruction) -> Iterator[Access]:
    for number, source in enumerate(line.sources):
        yield from _of_operand(line, source, number)
    if line.flush is not None or any(destination.mask is not None for destination in line.destinations):
        yield from (Access("omr", False, _only(entry)) for entry in _written_masks(line))
    for number, destination in enumerate(line.destinations, len(line.sources)):
        yield from _of_operand(line, destination, number)
    if line.op == "l2bmdarw":
        yield from (Access(FETCHED, True, None), Access("dar", True, None))
    if line.form.from_pes:
        operand = line.destinations[0].operand
        assert isinstance(operand, p.L1bm | p.Turnaround)
        yield Access("turn", True, (((0, turnaround_block(line, operand)[1]),),))
    elif line.path:
        yield Access(line.path, True, EVERY_CYCLE)


def _only(address: int) -> Spans:
    return (((address, address + 1),),)


def _written_masks(instruction: p.Instruction) -> list[int]:
    """The entries of the mask register that an instruction depends on, but for those that are fixed."""
    masks = [destination.mask for destination in instruction.destinations if destination.mask is not None]
    if instruction.flush is not None:
        masks.append(p.WriteMask(instruction.flush, 1))
    return sorted({mask.entry for mask in masks if not mask.fixed})


def _of_operand(instruction: p.Instruction, end: p.Source | p.Destination, number: int) -> Iterator[Access]:
    operand, written = end.operand, isinstance(end, p.Destination)
    if isinstance(operand, p.PeMemory):
        if operand.indirect:
            yield Access("t", False, _INDEX, end, number, finds=True)
        if operand.bank in ("lm0", "lm1"):
            yield Access("bar", False, _only(int(operand.bank == "lm1")), end, number, finds=True)
        yield Access(operand.bank, written, None if operand.indirect else pe_spans(operand), end, number)
        return
    memory = memory_of(operand)
    if memory and not (memory == "turn" and written):  # what is sent stays there anyway
        yield Access(memory, written, _words(instruction, operand, written), end, number)


def _words(instruction: p.Instruction, operand: p.Operand, written: bool) -> Spans | None:
    """The words of an operand that is not in a bank of the PE."""
    if isinstance(operand, p.TRegister | p.Path):
        return EVERY_CYCLE
    if isinstance(operand, p.BaseAddress):
        return _only(int(operand.bank == "lm1"))
    if isinstance(operand, p.MaskRegister):
        return _only(operand.entry)
    if isinstance(operand, p.Matrix):
        if operand.row is None:
            return _product_words(instruction)
        return _matrix_words(instruction.form.formula, instruction.precision, operand, written)
    if isinstance(operand, p.Turnaround):
        return (((0, turnaround_block(instruction, operand)[1]),),)
    if isinstance(operand, p.L1bm | p.L2bm) and instruction.form.formula:
        return block_spans(instruction.form, operand, written)
    return (stretch(operand.address, FETCHED_LONGS, isa.L2BM_LONGS),) if isinstance(operand, p.L2bm) else None


def _product_words(instruction: p.Instruction) -> Spans:
    """All rows of a matrix; half of them where the products of a step are half of them."""
    rows = isa.STEP_CYCLES * ELEMENTS[instruction.precision]
    first, end = {"u": (0, rows // 2), "d": (rows // 2, rows)}.get(instruction.rows, (0, rows))
    return (((MATRIX_WORDS * first, MATRIX_WORDS * end),),)


@lru_cache(maxsize=1 << 10)
def _matrix_words(formula: str, precision: str, matrix: p.Matrix, written: bool) -> Spans:
    """The rows that are written, or the columns that are read."""
    row_number = matrix.row or 0
    constants = {"A": row_number, "B": row_number, **matrix_constants(matrix, precision)}
    row, column = parse(formula).points(constants)[0 if written else 1].T
    elements = isa.STEP_CYCLES * ELEMENTS[precision]
    words = MATRIX_WORDS * row + column * MATRIX_WORDS // elements
    return (runs_of(np.concatenate([words, words + 1]) if precision == "d" else words),)


def _of_move(move: p.Move) -> Iterator[Access]:
    transfer = move_transfer(move)
    if transfer is None or move.source is None or move.destination is None:
        return
    gather = gather_of(transfer)
    sides: tuple[tuple[Side, p.Source | p.Destination], ...] = (
        (gather.source, move.source),
        (gather.destination, move.destination),
    )
    for number, (side, end) in enumerate(sides):
        operand, memory = end.operand, side.memory.lower()
        if isinstance(operand, p.DramIndirect):
            yield Access("dar", False, None, end, number, finds=True)
            yield Access(memory, number == 1, None, end, number, units=side.units)
        else:
            assert isinstance(operand, p.Dram | p.Pdm | p.L2bm)
            words = stretch(operand.address, side.count, isa.LONGS[side.memory])
            yield Access(memory, number == 1, (words,), end, number, units=side.units)


Written = Mapping[str, frozenset[int] | None]
"""The words of each memory that may be written; None where any may, and a memory that is not there stays as it is."""
Touched = Written
"""The same of what may be read or written."""


def words_in(named: Written | Touched | None, memory: str) -> frozenset[int] | None:
    """The words of one memory that are named; None where any may be."""
    return None if named is None else named.get(memory, frozenset())


@once_per_program
def written_by(program: p.Program) -> Written | None:
    """What a program may write, whatever the memories hold; None where that may be anything (debug statements)."""
    return _named(program, reads=False)


@once_per_program
def touched_by(program: p.Program) -> Touched | None:
    """What a program may read or write, whatever the memories hold; None where that may be anything."""
    return _named(program, reads=True)


def _named(program: p.Program, reads: bool) -> Written | None:
    found: dict[str, set[int] | None] = {}
    changed: set[str] = set()
    for line in program.lines:
        if not isinstance(line, p.Step | p.Move):
            return None
        for part in line.instructions if isinstance(line, p.Step) else (line,):
            for access in accesses(part):
                if access.written:
                    changed.add(access.memory)
                if reads or access.written:
                    _note(found, access)
    if "bar" in changed:  # then an address says nothing
        found |= {"lm0": None, "lm1": None}
    return {memory: None if words is None else frozenset(words) for memory, words in found.items()}


def _note(found: dict[str, set[int] | None], access: Access) -> None:
    known = found.setdefault(access.memory, set())
    if access.words is None:
        found[access.memory] = None
    elif known is not None:
        known.update(*(range(start, end) for cycle in access.words for start, end in cycle))
