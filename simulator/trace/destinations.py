"""What the text of a line tells about the words it writes; and which words an MV line moves (isa.md, section 6)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.state import debug
from simulator.isa import program as p
from simulator.isa.transfers import move_transfer
from simulator.trace.places import Place

_KINDS: dict[type, str] = {
    p.TRegister: "t",
    p.MaskRegister: "omr",
    p.L1bm: "l1bm",
    p.L2bm: "l2bm",
    p.Pdm: "pdm",
    p.Dram: "dram",
    p.DramIndirect: "dram",
    p.Turnaround: "turnaround",
}


def memory_of(operand: p.Operand) -> str:
    """The memory of a destination, as `Place` names it; "" for none."""
    if isinstance(operand, p.PeMemory):
        return operand.bank
    if isinstance(operand, p.Matrix):
        return f"m{operand.register}"
    if isinstance(operand, p.BaseAddress):
        return "bar0" if operand.bank == "lm0" else "bar1"
    return _KINDS.get(type(operand), "")


def written_memories(line: p.Step | p.Move) -> set[str]:
    """The memories, forwarding paths and turnaround register that a line may write."""
    if isinstance(line, p.Move):
        return {memory_of(line.destination.operand)} if line.destination is not None else set()
    written = {memory_of(d.operand) for i in line.instructions for d in i.destinations} - {"turnaround"}
    if all(i.op != "noforward" for i in line.instructions):
        written |= {"turnaround" if i.form.from_pes else i.path for i in line.instructions}
    return written


def statement_addresses(place: Place) -> tuple[int, ...]:
    """The addresses a debug statement has for the long words that may hold the place."""
    if place.memory in isa.BANK_WORDS:
        return place.word, (place.word - 1) % isa.BANK_WORDS[place.memory]
    if place.memory == "t":
        return (place.word // 4,) if place.word % 4 < 2 else ()
    return (place.word // 2,)


def names(target: p.DebugTarget, place: Place) -> bool:
    """True where a debug statement names the unit of the place."""
    levels = debug.LEVELS.get(target.memory, "ncbmp")
    unit = place.unit
    for level in reversed(levels):
        unit, number = divmod(unit, debug.SHAPE[level])
        wanted = getattr(target, level)
        if wanted is not None and wanted != number:
            return False
    return True


def indirect(move: p.Move) -> bool:
    """True where an MV line takes addresses from the DRAM address table."""
    return any(end is not None and isinstance(end.operand, p.DramIndirect) for end in (move.source, move.destination))


# --- MV lines ---------------------------------------------------------------------------------------------------------


def moved_to(move: p.Move, place: Place, table: NDArray[np.uint32] | None) -> list[Place] | None:
    """The words an MV line moved to `place`; None where it did not write it.

    table: the DRAM address table before the line, where it is used.
    """
    transfer = move_transfer(move)
    assert transfer is not None
    if table is None and not _reaches(move, place):
        return None
    constants = {"A": 0, "B": 0, **transfer.constants}
    ends, starts = transfer.formula.points(constants, transfer.chosen)
    assert move.source is not None and move.destination is not None
    ends = _resolved(ends, move.destination.operand, table, move.units)
    starts = _resolved(starts, move.source.operand, table, move.units)
    units = ends[:, 0] if ends.shape[1] == 2 else ends[:, 0] * isa.L2BS_PER_GROUP + ends[:, 1]
    address, half = divmod(place.word, 2)
    rows = starts[(units == place.unit) & (ends[:, -1] == address)]
    if not len(rows):
        return None
    memory = memory_of(move.source.operand)
    halves = (0, 1) if move.reduction and move.precision in "dl" else (half,)
    return [
        Place(memory, int(row[0]) if len(row) == 2 else int(row[0]) * 2 + int(row[1]), 2 * int(row[-1]) + h)
        for row in rows
        for h in halves
    ]


@lru_cache(maxsize=1 << 12)
def _bounds(move: p.Move) -> tuple[int, int]:
    """The first and last long-word address that an MV line writes."""
    transfer = move_transfer(move)
    assert transfer is not None
    addresses = transfer.points()[0][:, -1]
    return int(addresses.min()), int(addresses.max())


def _reaches(move: p.Move, place: Place) -> bool:
    assert move.destination is not None
    first, last = _bounds(move)
    return first <= place.word // 2 <= last


def _resolved(
    points: NDArray[np.int64], operand: p.Operand, table: NDArray[np.uint32] | None, units: int
) -> NDArray[np.int64]:
    """Coordinates with the DRAM address table looked up, and addresses past the end wrapped around."""
    points = points.copy()
    if isinstance(operand, p.DramIndirect) and table is not None:
        offset = points[:, -1]
        length = isa.DAR_UNIT * units
        entries = table[points[:, 0], (operand.entry + offset // length) % isa.DAR_ENTRIES]
        points[:, -1] = isa.DAR_UNIT * entries.astype(np.int64) + offset % length
    points[:, -1] %= isa.LONGS[memory_of(operand).upper()]
    return points
