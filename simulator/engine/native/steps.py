"""PE steps as flat records for the engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from simulator import isa
from simulator.engine.native import records
from simulator.engine.native.records import CODES
from simulator.engine.numpy.operands import wants_flags, write_rank
from simulator.isa import program as p
from simulator.isa.transfers import turnaround_block
from simulator.isa.units import PATHS

SILENT = ("nop", "noforward", "wait")
TURNAROUND = "turnaround"
"""Stands for the turnaround register among the names of the forwarding paths."""
KEPT = (*PATHS, TURNAROUND)

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


class NotNative(Exception):
    """The engine does not do this line."""


@dataclass
class EncodedLine:
    """A line while it is encoded."""

    record: records.LineRecord | None = None
    instructions: list[records.InstructionRecord] = field(default_factory=list)
    stores: list[records.StoreRecord] = field(default_factory=list)
    native: bool = True
    reads: set[str] = field(default_factory=set)  # of KEPT, as the next
    latches: dict[str, records.InstructionRecord] = field(default_factory=dict)
    turnaround: tuple[str, int] | None = None  # what it puts there


# --- operands --------------------------------------------------------------------------------------------------------


def _operand(operand: p.Operand) -> records.OperandRecord:
    """The record of an operand of a PE instruction."""
    result = records.OperandRecord()
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


def _source(source: p.Source) -> records.OperandRecord:
    result = _operand(source.operand)
    result.negate, result.widen, result.narrow = source.negate, source.widen, source.narrow
    return result


def _store(destination: p.Destination, number: int) -> records.StoreRecord:
    mask = destination.mask
    operand = _operand(destination.operand)
    return records.StoreRecord(
        operand, number, -1 if mask is None else mask.entry, mask is not None and mask.words == 4
    )


# --- instructions ----------------------------------------------------------------------------------------------------


def code(table: str, name: str) -> int:
    """The number of a name in an enumeration of `records.hpp`. Raises NotNative for a name that is not there."""
    if name not in CODES[table]:
        raise NotNative
    return CODES[table][name]


def _unit(instruction: p.Instruction) -> str:
    if instruction.unit == "l1bm":
        return "to_pes" if instruction.form.to_pes else "from_pes"
    return instruction.unit.replace("-", "_")


def _l1bs(instruction: p.Instruction) -> int:
    """The set of L1Bs as bits; of l2bmi four bits per target: its source + 1, or 0."""
    chosen = sorted(range(isa.L1BS) if instruction.l1bs is None else instruction.l1bs)
    if instruction.op != "l2bmi":
        return sum(1 << l1b for l1b in chosen)
    free = instruction.free
    origin = {y: s for s in chosen for y in range(isa.L1BS) if y & free == s & free}
    return sum((s + 1) << 4 * y for y, s in origin.items())


def _instruction(instruction: p.Instruction) -> records.InstructionRecord:
    unit = _unit(instruction)
    result = records.InstructionRecord(
        unit=code("Unit", unit),
        letter=code("Letter", instruction.precision or "none"),
        reduction=code("Reduction", instruction.reduction or "none"),
        kept=instruction.kept or 0,
        shift=instruction.shift,
        mab=instruction.mab,
        rows=("", "u", "d").index(instruction.rows),
        narrow=instruction.narrow,
        is_unsigned=instruction.unsigned,
        path=CODES["Path"][instruction.path] if instruction.path else -1,
        flush=-1 if instruction.flush is None else instruction.flush,
        flags=wants_flags(instruction.destinations),
    )
    for index, source in enumerate(instruction.sources):
        result.sources[index] = _source(source)
    if unit in ("alu", "mau"):
        result.code = code(unit.title(), instruction.op)
    elif unit in ("to_pes", "from_pes"):
        result.mabs = instruction.form.l1bm // isa.PES_PER_MAB
    elif unit == "l2bm":
        result.code = code("L2bm", _L2BM.get((instruction.op, type(instruction.sources[0].operand)), ""))
        result.l1bs = _l1bs(instruction)
    if unit in ("mau_write", "from_pes", "l2bm"):
        result.target = _operand(instruction.destinations[0].operand)
    return result


def _shares(source: p.Operand, written: Iterable[p.Operand], latched: Iterable[str]) -> bool:
    """True where rows of the source may be overwritten by the same step."""
    if isinstance(source, p.PeMemory):
        return any(isinstance(o, p.PeMemory) and o.bank == source.bank for o in written)
    if isinstance(source, p.TRegister):
        return any(isinstance(o, p.TRegister) for o in written)
    return isinstance(source, p.Path) and source.name in latched


def encode_step(step: p.Step, holds: tuple[str, int] | None) -> EncodedLine:
    """A step. holds: what the turnaround register has before it, None where that is not known."""
    line = EncodedLine()
    instructions = [i for i in step.instructions if i.unit not in SILENT]
    forwards = all(i.op != "noforward" for i in step.instructions)
    stores: list[tuple[int, records.StoreRecord]] = []
    written: list[p.Operand] = []
    for number, instruction in enumerate(instructions):
        record, unit = _instruction(instruction), _unit(instruction)
        line.instructions.append(record)
        operands = [source.operand for source in instruction.sources]
        line.reads |= {operand.name for operand in operands if isinstance(operand, p.Path)}
        if operands and isinstance(operands[0], p.Turnaround):
            if holds != turnaround_block(instruction, operands[0]):
                raise NotNative  # the NumPy engine knows what to say
            line.reads.add(TURNAROUND)
        target = instruction.destinations[0].operand if instruction.destinations else None
        if unit == "from_pes" and isinstance(target, p.L1bm | p.Turnaround):
            if forwards:
                line.latches[TURNAROUND], line.turnaround = record, turnaround_block(instruction, target)
        elif instruction.path:
            if forwards:
                line.latches[instruction.path] = record
            for destination in instruction.destinations:
                if not isinstance(destination.operand, p.NoWrite):
                    stores.append((write_rank(destination), _store(destination, number)))
                    written.append(destination.operand)
    line.stores = [store for _, store in sorted(stores, key=lambda item: item[0])]
    for instruction, record in zip(instructions, line.instructions, strict=True):
        if instruction.unit == "alu" and instruction.sources:
            others = [path for path in line.latches if path != instruction.path]
            record.copy = _shares(instruction.sources[0].operand, written, others)
    if instructions:
        line.record = records.LineRecord(kind=CODES["LineKind"]["step"])
    return line
