"""Which long words the transfers read and write: the index formulas of the instruction table, solved for addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine.state.contents import KINDS, UNITS, Addresses
from simulator.engine.state.memories import Memories
from simulator.isa import L2BS
from simulator.isa.formulas import Index
from simulator.isa.program import DramIndirect, Instruction, Move
from simulator.isa.transfers import Transfer, move_transfer, transfer_of

Flags = NDArray[np.bool_]
End = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Touch:
    """One access. addresses: [address], or [address, pe] where PEs differ, NOWHERE where one takes no part.

    through: for [address] only, which units take part: [unit], or [address, unit]; None = all.
    end: which instruction of the step it is an operand of, and which of its sources, then destinations.
    """

    memory: str
    write: bool
    addresses: Addresses
    through: Flags | None = None
    end: End | None = None


def block_touch(instruction: Instruction, write: bool) -> Touch:
    """The L1BM, L2BM or turnaround side of a transfer between steps' memories; the PE side is a matter of operands."""
    transfer = transfer_of(instruction)
    assert transfer is not None
    return _touch(transfer, write, transfer.points()[0 if write else 1])


def move_touches(move: Move, memories: Memories) -> Iterator[Touch]:
    """What an MV instruction reads, then what it writes. Addresses from the DRAM address table are looked up now."""
    transfer = move_transfer(move)
    if transfer is None or move.source is None or move.destination is None:
        return
    relative = replace(transfer, constants={"A": 0, "B": 0, **transfer.constants})
    targets, origins = relative.points()
    for operand, points, write in ((move.source.operand, origins, False), (move.destination.operand, targets, True)):
        if isinstance(operand, DramIndirect):
            group, offset = points.T
            entry = (operand.entry + offset // (isa.DAR_UNIT * move.units)) % isa.DAR_ENTRIES
            start = isa.DAR_UNIT * memories.dar[group, entry].astype(np.int64)
            points = np.stack([group, start + offset % (isa.DAR_UNIT * move.units)], axis=1)
            yield Touch("dar", False, np.unique(entry))
        yield _touch(relative, write, points)


def _touch(transfer: Transfer, write: bool, points: Index) -> Touch:
    """An access from coordinates: units, then the address. No unit stands for all, a lone L1B for that of every L2B."""
    side = transfer.formula.destination if write else transfer.formula.source
    memory = side.memory.lower()
    kind = KINDS[memory]
    places, *units = (points[:, -1] % kind.size, *points[:, :-1].T)  # once more for the DRAM address table
    if not units:
        return Touch(memory, write, np.unique(places))
    if memory == "l1bm":
        flags = _flags(places, units[0], isa.L1BS)
        return _plain(memory, write, np.unique(places), np.tile(flags, L2BS))
    unit = units[0] if len(units) == 1 else isa.L2BS_PER_GROUP * units[0] + units[1]
    return _plain(memory, write, np.unique(places), _flags(places, unit, UNITS[kind.level]))


def _flags(places: Index, units: Index, count: int) -> Flags:
    """[address, unit]: which pairs occur."""
    addresses, row = np.unique(places, return_inverse=True)
    flags = np.zeros((len(addresses), count), np.bool_)
    flags[row, units] = True
    return flags


def _plain(memory: str, write: bool, addresses: Addresses, flags: Flags) -> Touch:
    """The simplest form of flags[address, unit]."""
    if flags.all():
        return Touch(memory, write, addresses)
    return Touch(memory, write, addresses, flags[0] if (flags == flags[0]).all() else flags)
