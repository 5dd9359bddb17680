"""MV lines as flat records for the engine, and the DRAM pages that they touch."""

from __future__ import annotations

from collections.abc import Iterator

from simulator import isa
from simulator.engine.native import records
from simulator.engine.native.records import CODES
from simulator.engine.native.steps import EncodedLine, NotNative, code
from simulator.engine.state.memories import Dram
from simulator.isa import program as p

_CAPACITY = {p.Pdm: isa.PDM_LONGS, p.L2bm: isa.L2BM_LONGS, p.Dram: isa.DRAM_LONGS}
# Of a move's size, what lies in the DRAM of one group: size / this.
_DRAM_SHARES = {"mvp": 1, "mvb": 4, "mvb2": 1, "mvb4": 2, "mvd": 4, "mvr": 4, "mvr2": 1, "mvr4": 2}


def _memory(operand: p.Operand, count: int) -> records.OperandRecord:
    """The record of a move's operand, of which `count` long words of one unit are used."""
    if not isinstance(operand, p.Dram | p.Pdm | p.L2bm) or count > _CAPACITY[type(operand)]:
        raise NotNative
    result = records.OperandRecord(kind=CODES["Kind"][type(operand).__name__.lower()])
    result.index = -1 if operand.group is None else operand.group
    result.addresses[0] = operand.address
    result.words = (operand.l2b or 0) if isinstance(operand, p.L2bm) else 0
    return result


def encode_move(move: p.Move) -> EncodedLine:
    """Raises NotNative for moves through the DRAM address table and those larger than a memory."""
    if move.source is None or move.destination is None:  # mvnop
        return EncodedLine()
    source, destination = move.source.operand, move.destination.operand
    count = move.size
    if move.op == "mvd" and isinstance(source, p.L2bm) | isinstance(destination, p.L2bm):
        count *= isa.L1BS
    first, second = _memory(source, count), _memory(destination, count)
    local = move.op in ("mvb2", "mvr2") or (move.op == "mvp" and first.index == second.index)
    record = records.LineRecord(
        kind=CODES["LineKind"]["local_move" if local else "global_move"],
        move=code("MoveOp", move.op),
        letter=code("Letter", move.precision or "none"),
        reduction=code("Reduction", move.reduction or "none"),
        size=move.size,
        source=first,
        destination=second,
    )
    return EncodedLine(record)


def pages_of(operand: p.Operand, move: p.Move) -> Iterator[tuple[int, int]]:
    """The DRAM pages that a move touches through an operand."""
    if isinstance(operand, p.Dram):
        end = operand.address + move.size // _DRAM_SHARES[move.op] - 1
        pages = isa.DRAM_LONGS // Dram.PAGE
        for group in range(isa.GROUPS) if operand.group is None else (operand.group,):
            for page in range(operand.address // Dram.PAGE, end // Dram.PAGE + 1):
                yield group, page % pages
