"""Which words a line touches in every unit, just before it is executed: when masks, T and base addresses are known.

Where every unit touches the same addresses, or some units do, these are kept once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.effects.accesses import FETCHED, Access, accesses
from simulator.engine.numpy.masks import entry_flags, write_bits
from simulator.engine.numpy.operands import base_address, is_dynamic, pe_rows, static_rows
from simulator.engine.state import debug
from simulator.engine.state.contents import KINDS, NOWHERE, UNITS, Addresses, long_word_addresses, path_addresses
from simulator.engine.state.memories import Memories
from simulator.isa import ALL_PES, L2BS
from simulator.isa import program as p
from simulator.isa.formulas import Index
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from simulator.isa.units import PATHS

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


def touches_of(lines: Sequence[p.Line], memories: Memories) -> list[Touch]:
    """The accesses of one frame: a step, an MV line, or several debug statements of a kind."""
    first = lines[0]
    if isinstance(first, p.Step):
        return list(_step(first, memories))
    if isinstance(first, p.Move):
        return list(_move(first, memories))
    return list(_debug(lines))


# --- steps -----------------------------------------------------------------------------------------------------------


def _step(step: p.Step, memories: Memories) -> Iterator[Touch]:
    silent = any(i.op == "noforward" for i in step.instructions)
    for number, instruction in enumerate(step.instructions):
        for access in accesses(instruction):
            if access.end is not None and not access.finds and access.memory != FETCHED:
                yield replace(_operand(access, instruction, memories), end=(number, access.number))
            elif access.memory == "omr":
                yield Touch("omr", False, _addresses(access))
            elif access.memory == "dar":
                first, done = memories.dar_next
                count = memories.dar_fetched[:, done : done + isa.STEP_CYCLES].shape[1]
                yield Touch("dar", True, (first + done + np.arange(count)) % isa.DAR_ENTRIES)
            elif access.memory == "turn" and not silent:
                yield Touch("turn", True, _addresses(access))
            elif access.memory in PATHS and not silent:  # which words, is known after the step
                yield Touch(access.memory, True, np.zeros(0, np.int64))


def _addresses(access: Access) -> Addresses:
    """The addresses that the text tells, each once."""
    spans = sorted({span for cycle in access.words or () for span in cycle})
    return np.unique(np.concatenate([np.arange(first, end) for first, end in spans]))


def _operand(access: Access, instruction: p.Instruction, memories: Memories) -> Touch:
    end, memory = access.end, access.memory
    assert end is not None
    mask = end.mask if isinstance(end, p.Destination) else None
    if isinstance(end.operand, p.PeMemory):
        return _pe_memory(end.operand, access.written, mask, memories)
    if isinstance(end.operand, p.TRegister) and access.written:
        return _masked(memory, np.arange(16).reshape(4, 4), mask, memories)
    if isinstance(end.operand, p.L1bm | p.L2bm) and transfer_of(instruction) is not None:
        transfer = transfer_of(instruction)
        assert transfer is not None
        return _block(transfer, access.written, transfer.points()[0 if access.written else 1])
    if isinstance(end.operand, p.L2bm):  # l2bmdars: L2B 0 of every group
        return Touch(memory, False, _addresses(access), np.arange(L2BS) % isa.L2BS_PER_GROUP == 0)
    if isinstance(end.operand, p.Path):
        return Touch(memory, False, path_addresses(memories, end.operand.name))
    return Touch(memory, access.written, _addresses(access), _any_flag(mask, memories) if memory == "bar" else None)


def _pe_memory(operand: p.PeMemory, write: bool, mask: p.WriteMask | None, memories: Memories) -> Touch:
    base = base_address(memories, operand.bank)
    if base is None and not is_dynamic(operand):
        return _masked(operand.bank, static_rows(operand), mask, memories, write)
    places = pe_rows(memories, operand, base).reshape(-1, ALL_PES)
    if mask is not None:
        bits = np.broadcast_to(write_bits(memories, mask, operand.words), (4, operand.words, ALL_PES))
        places = np.where(bits.reshape(-1, ALL_PES) != 0, places, NOWHERE)
    return Touch(operand.bank, write, places)


def _masked(memory: str, rows: Addresses, mask: p.WriteMask | None, memories: Memories, write: bool = True) -> Touch:
    """A touch of rows[cycle, word], left out where the mask stops every bit of a word."""
    if mask is None:
        return Touch(memory, write, np.unique(rows))
    bits = write_bits(memories, mask, rows.shape[1]) != 0
    through = bits.reshape(rows.size, -1)
    if through.shape[1] == 1:
        return Touch(memory, write, np.unique(rows.ravel()[through[:, 0]]))
    addresses, inverse = np.unique(rows.ravel(), return_inverse=True)
    merged = np.zeros((len(addresses), ALL_PES), np.bool_)
    np.logical_or.at(merged, inverse, through)
    return Touch(memory, write, addresses, merged)


def _any_flag(mask: p.WriteMask | None, memories: Memories) -> Flags | None:
    return None if mask is None or mask.fixed else np.asarray(entry_flags(memories, mask.entry).any(axis=(0, 1)))


# --- transfers -------------------------------------------------------------------------------------------------------


def _move(move: p.Move, memories: Memories) -> Iterator[Touch]:
    """What an MV instruction reads, then what it writes. Addresses from the DRAM address table are looked up now."""
    transfer = move_transfer(move)
    if transfer is None or move.source is None or move.destination is None:
        return
    targets, origins = move_points(move, memories.dar)
    for operand, points, write in ((move.source.operand, origins, False), (move.destination.operand, targets, True)):
        if isinstance(operand, p.DramIndirect):
            entries = -(-(int(transfer.points_from_0[1 - write][:, -1].max()) + 1) // (isa.DAR_UNIT * move.units))
            yield Touch("dar", False, np.unique((operand.entry + np.arange(entries)) % isa.DAR_ENTRIES))
        yield _block(transfer, write, points)


def move_points(move: p.Move, table: NDArray[np.uint32] | None) -> tuple[Index, Index]:
    """Coordinates of what an MV line writes, and of what it reads for that. table: the DRAM address table, if known."""
    transfer = move_transfer(move)
    assert transfer is not None and move.source is not None and move.destination is not None
    found = []
    for points, operand in zip(transfer.points_from_0, (move.destination.operand, move.source.operand), strict=True):
        points = points.copy()
        if isinstance(operand, p.DramIndirect) and table is not None:
            entry, offset = np.divmod(points[:, -1], isa.DAR_UNIT * move.units)
            start = table[points[:, 0], (operand.entry + entry) % isa.DAR_ENTRIES].astype(np.int64)
            points[:, -1] = isa.DAR_UNIT * start + offset
        found.append(points)
    return found[0], found[1]


def _block(transfer: Transfer, write: bool, points: Index) -> Touch:
    """An access from coordinates: units, then the address. No unit stands for all, a lone L1B for that of every L2B."""
    side = transfer.formula.destination if write else transfer.formula.source
    memory = side.memory.lower()
    kind = KINDS[memory]
    addresses, row = np.unique(points[:, -1] % kind.size, return_inverse=True)
    if points.shape[1] == 1:
        return Touch(memory, write, addresses)
    flags = np.zeros((len(addresses), isa.L1BS if memory == "l1bm" else UNITS[kind.level]), np.bool_)
    flags[row, unit_numbers(points)] = True
    if memory == "l1bm":
        flags = np.tile(flags, L2BS)
    if flags.all():
        return Touch(memory, write, addresses)
    return Touch(memory, write, addresses, flags[0] if (flags == flags[0]).all() else flags)


def unit_numbers(points: Index) -> Index:
    """The number of the unit of each point among all of its kind: a group, an L1B, or an L2B by its group."""
    return points[:, 0] if points.shape[1] == 2 else points[:, 0] * isa.L2BS_PER_GROUP + points[:, 1]


# --- debug statements ------------------------------------------------------------------------------------------------


def _debug(lines: Sequence[p.Line]) -> Iterator[Touch]:
    """`d set`, `r` and `d get` lines, merged into one access per memory and direction."""
    found: dict[tuple[str, bool], dict[int, Flags]] = {}
    for line in lines:
        if isinstance(line, p.DramPreset):
            memory, write, units = "dram", True, np.array([line.group])
            places = [(line.address + i) % isa.DRAM_LONGS for i in range(len(line.values))]
        else:
            assert isinstance(line, p.DebugSet | p.DebugGet)
            memory, write = line.target.memory, isinstance(line, p.DebugSet)
            count = len(line.values) if isinstance(line, p.DebugSet) else line.count
            units = np.array([unit.index for unit in debug.units(line.target)])
            places = long_word_addresses(memory, debug.addresses(line.target, count))
        by_address = found.setdefault((memory, write), {})
        for address in places:
            if address not in by_address:
                by_address[address] = np.zeros(UNITS[KINDS[memory].level], np.bool_)
            by_address[address][units] = True
    for (memory, write), by_address in found.items():
        order = sorted(by_address)
        through = np.stack([by_address[address] for address in order])
        yield Touch(memory, write, np.array(order), None if through.all() else through)
