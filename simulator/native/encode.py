"""A decoded program as flat records for the engine, once per program.

Lines that the engine does not do (debug statements, and whatever it does not know) are left to the NumPy engine, which
works on the same memories.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator import isa
from simulator import program as p
from simulator.execute.l1bm import FAMILIES
from simulator.execute.mv import MVD_L2BM_SIZE_COUNTS_L2BM
from simulator.execute.operands import wants_flags, write_rank
from simulator.memories import Dram
from simulator.native import records
from simulator.native.records import CODES

SILENT = ("nop", "noforward", "wait")
PATHS = {"alu": "aluf", "mau": "mauf", "to_pes": "lbf", "mau_read": "mreadf"}
TURNAROUND = "turnaround"
"""Stands for the turnaround register among the names of the forwarding paths."""
KEPT = (*PATHS.values(), TURNAROUND)

_L2BM = {
    ("l2bmb", p.L2bm): "broadcast",
    ("l2bmb2", p.L2bm): "broadcast_pairs",
    ("l2bmd", p.L2bm): "deal",
    ("l2bmd", p.L1bm): "gather",
    ("l2bm", p.L1bm): "copy",
    ("l2bmr", p.L1bm): "reduce",
    ("l2bmr2", p.L1bm): "reduce_pairs",
    ("l2bmi", p.L1bm): "indirect",
}
_CAPACITY = {p.Pdm: isa.PDM_LONGS, p.L2bm: isa.L2BM_LONGS, p.Dram: isa.DRAM_LONGS}
# Of a move's size, what lies in the DRAM of one group: size / this.
_DRAM_SHARES = {"mvp": 1, "mvb": 4, "mvb2": 1, "mvb4": 2, "mvd": 4, "mvr": 4, "mvr2": 1, "mvr4": 2}


class NotNative(Exception):
    """The engine does not do this line."""


@dataclass(frozen=True, slots=True)
class Piece:
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

    pieces: tuple[Piece, ...]
    program: records.Records
    tables: tuple[Any, ...]  # keeps alive what `program` points to
    read: frozenset[tuple[int, int]]
    written: frozenset[tuple[int, int]]


@dataclass
class _Line:
    """A line while it is encoded."""

    record: records.Line | None = None
    instructions: list[records.Instruction] = field(default_factory=list)
    stores: list[records.Store] = field(default_factory=list)
    native: bool = True
    reads: set[str] = field(default_factory=set)  # of KEPT
    latches: dict[str, records.Instruction | None] = field(default_factory=dict)
    turnaround: tuple[str, int] | None = None  # what it puts there


# --- operands --------------------------------------------------------------------------------------------------------


def _operand(operand: p.Operand) -> records.Operand:
    """The record of an operand of a PE instruction."""
    result = records.Operand()
    if isinstance(operand, p.PeMemory):
        result.index, result.words = CODES["Bank"][operand.bank], operand.words
        result.addresses[:] = operand.addresses
        result.indirect, result.reach = operand.indirect, 0 if operand.j is None else operand.j + 1
        kind = "memory"
    elif isinstance(operand, p.TRegister):
        result.words, kind = 4, "t"
    elif isinstance(operand, p.Path):
        result.index, result.words, kind = CODES["Path"][operand.name], 4, "path"
    elif isinstance(operand, p.Fixed):
        result.index, result.words, kind = CODES["Fixed"][operand.name], 4, "fixed"
    elif isinstance(operand, p.Immediate):
        result.literal, kind = operand.word, "immediate"
    elif isinstance(operand, p.Matrix):
        result.index, result.words, kind = int(operand.register == "y"), 2 if operand.double else 1, "matrix"
        result.addresses[0] = operand.row or 0
    elif isinstance(operand, p.L1bm):
        result.words, result.addresses[0], kind = operand.words, operand.address, "l1bm"
    elif isinstance(operand, p.Turnaround):
        result.words, kind = operand.words, TURNAROUND
    elif isinstance(operand, p.L2bm):
        result.addresses[0], kind = operand.address, "l2bm"
    elif isinstance(operand, p.BaseAddress):
        result.index, result.words, kind = CODES["Bank"][operand.bank], operand.words, "base"
    elif isinstance(operand, p.MaskRegister):
        result.index, kind = operand.entry, "mask"
    else:
        raise NotNative
    result.kind = CODES["Kind"][kind]
    return result


def _source(source: p.Source) -> records.Operand:
    result = _operand(source.operand)
    result.negate, result.widen, result.narrow = source.negate, source.widen, source.narrow
    return result


def _store(destination: p.Destination, number: int) -> records.Store:
    mask = destination.mask
    operand = _operand(destination.operand)
    return records.Store(operand, number, -1 if mask is None else mask.entry, mask is not None and mask.words == 4)


# --- instructions ----------------------------------------------------------------------------------------------------


def _code(table: str, name: str) -> int:
    if name not in CODES[table]:
        raise NotNative
    return CODES[table][name]


def _unit(instruction: p.Instruction) -> str:
    if instruction.unit == "l1bm":
        return "to_pes" if isinstance(instruction.sources[0].operand, p.L1bm | p.Turnaround) else "from_pes"
    return instruction.unit.replace("-", "_")


def _l1bs(instruction: p.Instruction) -> int:
    """The set of L1Bs as bits; of l2bmi four bits per target: its source + 1, or 0."""
    chosen = sorted(range(isa.L1BS) if instruction.l1bs is None else instruction.l1bs)
    if instruction.op != "l2bmi":
        return sum(1 << l1b for l1b in chosen)
    free = instruction.number or 0
    origin = {y: s for s in chosen for y in range(isa.L1BS) if y & free == s & free}
    return sum((s + 1) << 4 * y for y, s in origin.items())


def _instruction(instruction: p.Instruction) -> records.Instruction:
    unit = _unit(instruction)
    result = records.Instruction(
        unit=_code("Unit", unit),
        letter=_code("Letter", instruction.precision or "none"),
        reduction=_code("Reduction", instruction.reduction or "none"),
        number=instruction.number or 0,
        rows=("", "u", "d").index(instruction.rows),
        narrow=instruction.narrow,
        is_unsigned=instruction.unsigned,
        flush=-1 if instruction.flush is None else instruction.flush,
        flags=wants_flags(instruction.destinations),
    )
    for index, source in enumerate(instruction.sources):
        result.sources[index] = _source(source)
    if unit in ("alu", "mau"):
        result.code = _code(unit.title(), instruction.op)
    elif unit in ("to_pes", "from_pes"):
        result.mabs = FAMILIES[instruction.op].mabs if instruction.op in FAMILIES else 0
    elif unit == "l2bm":
        result.code = _code("L2bm", _L2BM.get((instruction.op, type(instruction.sources[0].operand)), ""))
        result.l1bs = _l1bs(instruction)
    if unit in ("mau_write", "from_pes", "l2bm"):
        result.target = _operand(instruction.destinations[0].operand)
    return result


def _turnaround(instruction: p.Instruction, operand: p.L1bm | p.Turnaround) -> tuple[str, int]:
    """The name of the block that a transfer keeps in the turnaround register or takes from it, and its length."""
    family, wide = FAMILIES[instruction.op], operand.words // 2
    return f"{family.name} $l{'l' * (wide - 1)}bi", family.count(wide)


def _shares(source: p.Operand, written: Iterable[p.Operand], latched: Iterable[str]) -> bool:
    """True where rows of the source may be overwritten by the same step."""
    if isinstance(source, p.PeMemory):
        return any(isinstance(o, p.PeMemory) and o.bank == source.bank for o in written)
    if isinstance(source, p.TRegister):
        return any(isinstance(o, p.TRegister) for o in written)
    return isinstance(source, p.Path) and source.name in latched


def _step(step: p.Step, holds: tuple[str, int] | None) -> _Line:
    """A step. holds: what the turnaround register has before it, None where that is not known."""
    line = _Line()
    instructions = [i for i in step.instructions if i.unit not in SILENT]
    forwards = all(i.op != "noforward" for i in step.instructions)
    stores: list[tuple[int, records.Store]] = []
    written: list[p.Operand] = []
    for number, instruction in enumerate(instructions):
        record, unit = _instruction(instruction), _unit(instruction)
        line.instructions.append(record)
        operands = [source.operand for source in instruction.sources]
        line.reads |= {operand.name for operand in operands if isinstance(operand, p.Path)}
        if operands and isinstance(operands[0], p.Turnaround):
            if instruction.op not in FAMILIES or holds != _turnaround(instruction, operands[0]):
                raise NotNative  # the NumPy engine knows what to say
            line.reads.add(TURNAROUND)
        target = instruction.destinations[0].operand if instruction.destinations else None
        if unit == "from_pes" and isinstance(target, p.L1bm | p.Turnaround):
            if forwards:
                line.latches[TURNAROUND], line.turnaround = record, _turnaround(instruction, target)
        elif unit in PATHS:
            if forwards:
                line.latches[PATHS[unit]] = record
            for destination in instruction.destinations:
                if not isinstance(destination.operand, p.NoWrite):
                    stores.append((write_rank(destination), _store(destination, number)))
                    written.append(destination.operand)
    line.stores = [store for _, store in sorted(stores, key=lambda item: item[0])]
    for instruction, record in zip(instructions, line.instructions, strict=True):
        if instruction.unit == "alu" and instruction.sources:
            others = [path for path in line.latches if path != PATHS["alu"]]
            record.copy = _shares(instruction.sources[0].operand, written, others)
    if instructions:
        line.record = records.Line(kind=CODES["LineKind"]["step"])
    return line


# --- moves -----------------------------------------------------------------------------------------------------------


def _memory(operand: p.Operand, count: int) -> records.Operand:
    """The record of a move's operand, of which `count` long words of one unit are used."""
    if not isinstance(operand, p.Dram | p.Pdm | p.L2bm) or count > _CAPACITY[type(operand)]:
        raise NotNative
    result = records.Operand(kind=CODES["Kind"][type(operand).__name__.lower()])
    result.index = -1 if operand.group is None else operand.group
    result.addresses[0] = operand.address
    result.words = (operand.l2b or 0) if isinstance(operand, p.L2bm) else 0
    return result


def _move(move: p.Move) -> _Line:
    if move.source is None or move.destination is None:  # mvnop
        return _Line()
    source, destination = move.source.operand, move.destination.operand
    count = move.size
    if move.op == "mvd" and isinstance(source, p.L2bm) | isinstance(destination, p.L2bm):
        if not MVD_L2BM_SIZE_COUNTS_L2BM:
            raise NotNative
        count *= isa.L1BS
    first, second = _memory(source, count), _memory(destination, count)
    local = move.op in ("mvb2", "mvr2") or (move.op == "mvp" and first.index == second.index)
    record = records.Line(
        kind=CODES["LineKind"]["local_move" if local else "global_move"],
        move=_code("MoveOp", move.op),
        letter=_code("Letter", move.precision or "none"),
        reduction=_code("Reduction", move.reduction or "none"),
        size=move.size,
        source=first,
        destination=second,
    )
    return _Line(record)


def _pages(operand: p.Operand, move: p.Move) -> Iterator[tuple[int, int]]:
    """The DRAM pages that a move touches through an operand."""
    if isinstance(operand, p.Dram):
        end = operand.address + move.size // _DRAM_SHARES[move.op] - 1
        pages = isa.DRAM_LONGS // Dram.PAGE
        for group in range(isa.GROUPS) if operand.group is None else (operand.group,):
            for page in range(operand.address // Dram.PAGE, end // Dram.PAGE + 1):
                yield group, page % pages


# --- programs --------------------------------------------------------------------------------------------------------


def _encode_lines(lines: Sequence[p.Line]) -> list[_Line]:
    result = []
    holds: tuple[str, int] | None = None
    for line in lines:
        try:
            if isinstance(line, p.Step):
                encoded = _step(line, holds)
            elif isinstance(line, p.Move):
                encoded = _move(line)
            else:
                raise NotNative
        except NotNative:
            encoded = _Line(native=False)
            if isinstance(line, p.Step):
                holds = None
        holds = encoded.turnaround or holds
        result.append(encoded)
    return result


def _mark_latches(lines: Sequence[_Line], everything: bool) -> None:
    """Note where a unit's output must be kept: where something reads it before the next, and at the end."""
    wanted = dict.fromkeys(KEPT, True)
    for line in reversed(lines):
        for name, record in line.latches.items():
            assert record is not None
            record.latch = wanted[name] or everything
            wanted[name] = False
        for name in KEPT if not line.native else line.reads:
            wanted[name] = True


def _pieces(lines: Sequence[_Line], single: bool) -> Iterator[Piece]:
    """Cut the lines where the NumPy engine takes over; single: after every line."""
    start = record = done = 0
    holds: tuple[str, int] | None = None
    for number, line in enumerate(lines):
        if not line.native:
            if start < number:
                yield Piece(start, number, True, (done, record), holds)
            yield Piece(number, number + 1, False)
            start, done, holds = number + 1, record, None
            continue
        record += line.record is not None
        holds = line.turnaround or holds
        if single:
            yield Piece(number, number + 1, True, (done, record), holds)
            start, done, holds = number + 1, record, None
    if start < len(lines):
        yield Piece(start, len(lines), True, (done, record), holds)


def _tables(lines: Sequence[_Line]) -> tuple[records.Records, tuple[Any, ...]]:
    instructions: list[records.Instruction] = []
    stores: list[records.Store] = []
    encoded: list[records.Line] = []
    for line in lines:
        if line.record is not None:
            line.record.first_instruction, line.record.instructions = len(instructions), len(line.instructions)
            line.record.first_store, line.record.stores = len(stores), len(line.stores)
            instructions += line.instructions
            stores += line.stores
            encoded.append(line.record)
    tables = (
        (records.Line * len(encoded))(*encoded),
        (records.Instruction * len(instructions))(*instructions),
        (records.Store * len(stores))(*stores),
    )
    return records.Records(*tables), tables


def _encode(program: p.Program, single: bool) -> Encoded:
    lines = _encode_lines(program.lines)
    _mark_latches(lines, single)
    pieces = tuple(_pieces(lines, single))
    table, tables = _tables(lines)
    moves = [line for line in program.lines if isinstance(line, p.Move) and line.source and line.destination]
    read = frozenset(page for m in moves if m.source for page in _pages(m.source.operand, m))
    written = frozenset(page for m in moves if m.destination for page in _pages(m.destination.operand, m))
    return Encoded(pieces, table, tables, read, written)


_encoded: dict[tuple[int, bool], tuple[weakref.ref[p.Program], Encoded]] = {}


def encoded(program: p.Program, single: bool = False) -> Encoded:
    """The program's records; made once and kept as long as the program lives. single: a piece for every line."""
    key = id(program), single
    kept = _encoded.get(key)
    if kept is not None and kept[0]() is program:
        return kept[1]
    result = _encode(program, single)
    _encoded[key] = (weakref.ref(program, lambda _: _encoded.pop(key, None)), result)
    return result
