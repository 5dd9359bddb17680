"""A decoded program as flat records for the engine, once per program.

Lines that the engine does not do (debug statements, and whatever it does not know) are left to the NumPy engine, which
works on the same memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.engine.native import records
from simulator.engine.native.moves import encode_move, pages_of
from simulator.engine.native.steps import KEPT, EncodedLine, NotNative, encode_step
from simulator.isa import program as p
from simulator.once import once_per_program


@dataclass(frozen=True, slots=True)
class Section:
    """Some lines in a row, of the program and (native) of the records; not native: one line for the NumPy engine.

    holds: the family of the block in the turnaround register after the piece, and its long words per L1B; None where
    the piece does not change it.
    """

    first: int
    last: int
    native: bool
    records: tuple[int, int] = (0, 0)
    holds: tuple[str, int] | None = None


@dataclass(frozen=True)
class Encoded:
    """What the engine needs to run a program. read, written: DRAM pages that it touches, as (group, page)."""

    pieces: tuple[Section, ...]
    program: records.Records
    tables: tuple[Any, ...]  # keeps alive what `program` points to
    read: frozenset[tuple[int, int]]
    written: frozenset[tuple[int, int]]


def _encode_lines(lines: Sequence[p.Line]) -> list[EncodedLine]:
    result = []
    holds: tuple[str, int] | None = None
    for line in lines:
        try:
            if isinstance(line, p.Step):
                encoded = encode_step(line, holds)
            elif isinstance(line, p.Move):
                encoded = encode_move(line)
            else:
                raise NotNative
        except NotNative:
            encoded = EncodedLine(native=False)
            if isinstance(line, p.Step):
                holds = None
        holds = encoded.turnaround or holds
        result.append(encoded)
    return result


def _mark_latches(lines: Sequence[EncodedLine], everything: bool) -> None:
    """Note where a unit's output must be kept: where something reads it before the next, and at the end."""
    wanted = dict.fromkeys(KEPT, True)
    for line in reversed(lines):
        for name, record in line.latches.items():
            record.latch = wanted[name] or everything
            wanted[name] = False
        for name in KEPT if not line.native else line.reads:
            wanted[name] = True


def _pieces(lines: Sequence[EncodedLine], single: bool) -> Iterator[Section]:
    """Cut the lines where the NumPy engine takes over; single: after every line."""
    start = record = done = 0
    holds: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        if not line.native:
            if start < number:
                yield Section(start, number, True, (done, record), holds)
            yield Section(number, number + 1, False)
            start, done, holds = number + 1, record, None
            continue
        record += line.record is not None
        holds = line.turnaround or holds
        if single:
            yield Section(number, number + 1, True, (done, record), holds)
            start, done, holds = number + 1, record, None
    if start < len(lines):
        yield Section(start, len(lines), True, (done, record), holds)


def _tables(lines: Sequence[EncodedLine]) -> tuple[records.Records, tuple[Any, ...]]:
    instructions: list[records.InstructionRecord] = []
    stores: list[records.StoreRecord] = []
    encoded: list[records.LineRecord] = []
    for line in lines:
        if line.record is not None:
            line.record.first_instruction, line.record.instructions = len(instructions), len(line.instructions)
            line.record.first_store, line.record.stores = len(stores), len(line.stores)
            instructions += line.instructions
            stores += line.stores
            encoded.append(line.record)
    tables = (
        (records.LineRecord * len(encoded))(*encoded),
        (records.InstructionRecord * len(instructions))(*instructions),
        (records.StoreRecord * len(stores))(*stores),
    )
    return records.Records(*tables), tables


def _encode(program: p.Program, single: bool) -> Encoded:
    lines = _encode_lines(program.lines)
    _mark_latches(lines, single)
    pieces = tuple(_pieces(lines, single))
    table, tables = _tables(lines)
    moves = [line for line in program.lines if isinstance(line, p.Move) and line.source and line.destination]
    read = frozenset(page for m in moves if m.source for page in pages_of(m.source.operand, m))
    written = frozenset(page for m in moves if m.destination for page in pages_of(m.destination.operand, m))
    return Encoded(pieces, table, tables, read, written)


@once_per_program
def encoded(program: p.Program) -> Encoded:
    """The program's records."""
    return _encode(program, single=False)


@once_per_program
def encoded_singly(program: p.Program) -> Encoded:
    """The same with a piece for every line, after which every memory is as the line leaves it."""
    return _encode(program, single=True)
