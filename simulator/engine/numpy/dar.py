"""The DRAM address table (DAR): filling it, and DRAM accesses through it (isa.md, section 6).

An entry is the address of a unit of 16 long words. What the text leaves open stands here and nowhere else.

[A] `l2bmdars` reads 64 long words per cycle, two entries each, the upper half first; every group reads its L2B 0.
[A] The buffer holds one fetch, a new one replaces it; once all of it is in the table, `l2bmdarw` does nothing.
[A] Entries count on from the one that is named, past the last to the first.
"""

from __future__ import annotations

import numpy as np

from simulator import isa
from simulator.engine.numpy.action import Action, Write
from simulator.engine.state.elements import split_long_words
from simulator.engine.state.memories import LongWords, Memories, Words, load_block
from simulator.isa.program import Dar, Dram, DramIndirect, Instruction, L2bm

FETCHED = 512
"""Entries that `l2bmdars` fetches: 128 in each of the four cycles."""


# --- filling the table -----------------------------------------------------------------------------------------------


def decode_fetch(instruction: Instruction) -> Action[Words]:
    """l2bmdars: entries from the L2BM to the buffer."""
    source, destination = instruction.sources[0].operand, instruction.destinations[0].operand
    assert isinstance(source, L2bm) and isinstance(destination, Dar)

    def compute(memories: Memories) -> Words:
        block = load_block(memories.l2bm[:: isa.L2BS_PER_GROUP], source.address, FETCHED // 2)
        return split_long_words(block).reshape(isa.GROUPS, FETCHED)

    def store(memories: Memories, entries: Words) -> None:
        memories.dar_fetched, memories.dar_next = entries, (destination.entry, 0)

    return Action(compute, (Write(store, rank=1),))  # after an `l2bmdarw` of the same step has moved on


def decode_write(instruction: Instruction) -> Action[tuple[int, int, Words]]:
    """l2bmdarw: the next entries of the buffer to the table, one per cycle."""

    def compute(memories: Memories) -> tuple[int, int, Words]:
        first, done = memories.dar_next
        return first, done, memories.dar_fetched[:, done : done + isa.STEP_CYCLES]

    def store(memories: Memories, taken: tuple[int, int, Words]) -> None:
        first, done, entries = taken
        count = entries.shape[1]
        memories.dar[:, (first + done + np.arange(count)) % isa.DAR_ENTRIES] = entries
        memories.dar_next = (first, done + count)

    return Action(compute, (Write(store),))


# --- DRAM accesses ---------------------------------------------------------------------------------------------------


def _pieces(memories: Memories, operand: Dram | DramIndirect, group: int, count: int, units: int) -> list[slice]:
    """The long words of DRAM that an MV instruction moves, in order; a slice may go past the end of the DRAM."""
    if isinstance(operand, Dram):
        return [slice(operand.address, operand.address + count)]
    length = isa.DAR_UNIT * units
    entries = (operand.entry + np.arange(-(-count // length))) % isa.DAR_ENTRIES
    starts = [isa.DAR_UNIT * int(entry) % isa.DRAM_LONGS for entry in memories.dar[group, entries]]
    lengths = [min(length, count - done) for done in range(0, count, length)]
    return [slice(start, start + size) for start, size in zip(starts, lengths, strict=True)]


def read_dram(memories: Memories, operand: Dram | DramIndirect, group: int, count: int, units: int = 1) -> LongWords:
    """`count` long words of a group; each entry of the table serves for `units` units (`nd`)."""
    dram = memories.dram[group]
    pieces = _pieces(memories, operand, group, count, units)
    parts = [dram.read(piece.start, piece.stop - piece.start) for piece in pieces]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def write_dram(memories: Memories, operand: Dram | DramIndirect, group: int, values: LongWords, units: int = 1) -> None:
    """Store long words in a group, as `read_dram` reads them."""
    done = 0
    for piece in _pieces(memories, operand, group, len(values), units):
        size = piece.stop - piece.start
        memories.dram[group].write(piece.start, values[done : done + size])
        done += size
