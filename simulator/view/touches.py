"""What a line of a program reads and writes: which addresses of which memory, in which units (isa.md, sections 5 to 9).

Masks, T indirection and base address registers depend on the run, so a line is asked about just before it is executed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from simulator import isa
from simulator.engine.numpy.dar import FETCHED
from simulator.engine.numpy.masks import entry_flags, is_fixed, write_bits
from simulator.engine.numpy.mau import ROWS
from simulator.engine.numpy.operands import base_address, is_dynamic, pe_rows, static_rows
from simulator.engine.state import debug
from simulator.engine.state.contents import KINDS, MATRIX_WORDS, NOWHERE, UNITS, Addresses, long_word_addresses
from simulator.engine.state.memories import Memories
from simulator.isa import ALL_PES, L2BS
from simulator.isa import program as p
from simulator.isa.transfers import transfer_of
from simulator.view.transfers import Flags, Touch, block_touch, move_touches

Operand = p.Source | p.Destination
T_WORDS: Addresses = np.arange(16)


def touches_of(lines: Sequence[p.Line], memories: Memories) -> list[Touch]:
    """The accesses of one frame: a step, an MV line, or several debug statements of a kind."""
    first = lines[0]
    if isinstance(first, p.Step):
        return list(_step(first, memories))
    if isinstance(first, p.Move):
        return list(move_touches(first, memories))
    return list(_debug(lines))


# --- steps -----------------------------------------------------------------------------------------------------------


def _step(step: p.Step, memories: Memories) -> Iterator[Touch]:
    silent = any(i.op == "noforward" for i in step.instructions)
    for number, instruction in enumerate(step.instructions):
        for position, source in enumerate(instruction.sources):
            for touch in _operand(source, instruction, memories):
                yield replace(touch, end=(number, position))
        entries = {d.mask.entry for d in instruction.destinations if d.mask}
        if instruction.flush is not None:
            entries.add(instruction.flush)
        for entry in sorted(entry for entry in entries if not is_fixed(entry)):
            yield Touch("omr", False, np.array([entry]))
        for position, destination in enumerate(instruction.destinations, len(instruction.sources)):
            for touch in _operand(destination, instruction, memories):
                yield replace(touch, end=(number, position))
        if instruction.op == "l2bmdarw":
            first, done = memories.dar_next
            count = memories.dar_fetched[:, done : done + isa.STEP_CYCLES].shape[1]
            yield Touch("dar", True, (first + done + np.arange(count)) % isa.DAR_ENTRIES)
        if not silent:
            yield from _latched(instruction)


def _operand(end: Operand, instruction: p.Instruction, memories: Memories) -> Iterator[Touch]:
    operand, write = end.operand, isinstance(end, p.Destination)
    mask = end.mask if isinstance(end, p.Destination) else None
    if isinstance(operand, p.PeMemory):
        yield _pe_memory(operand, write, mask, memories)
    elif isinstance(operand, p.TRegister):
        yield _masked("t", T_WORDS.reshape(4, 4), mask, memories) if write else Touch("t", False, T_WORDS)
    elif isinstance(operand, p.Path):
        words = memories.paths[operand.name].shape[1]
        yield Touch(operand.name, False, _path_words(words))
    elif isinstance(operand, p.BaseAddress):
        yield Touch("bar", True, np.array([int(operand.bank == "lm1")]), _any_flag(mask, memories))
    elif isinstance(operand, p.MaskRegister):
        yield Touch("omr", True, np.array([operand.entry]))  # a mask clears the flags it excludes
    elif isinstance(operand, p.Matrix):
        yield Touch(f"m{operand.register}", write, _matrix(operand, instruction))
    elif isinstance(operand, p.L1bm | p.L2bm) and transfer_of(instruction) is not None:
        yield block_touch(instruction, write)
    elif isinstance(operand, p.L2bm):  # l2bmdars: L2B 0 of every group
        first = np.arange(L2BS) % isa.L2BS_PER_GROUP == 0
        yield Touch("l2bm", False, (operand.address + np.arange(FETCHED // 2)) % isa.L2BM_LONGS, first)
    elif isinstance(operand, p.Turnaround) and not write:  # written ones are latched
        yield Touch("turn", False, np.arange(len(block_touch(instruction, write).addresses)))


def _pe_memory(operand: p.PeMemory, write: bool, mask: p.WriteMask | None, memories: Memories) -> Touch:
    base = base_address(memories, operand.bank)
    if base is None and not is_dynamic(operand):
        rows = static_rows(operand)
        return _masked(operand.bank, rows, mask, memories, write)
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
    if mask is None or is_fixed(mask.entry):
        return None
    return np.asarray(entry_flags(memories, mask.entry).any(axis=(0, 1)))


def _path_words(words: int) -> Addresses:
    return np.array([4 * cycle + word for cycle in range(4) for word in range(words)])


def _latched(instruction: p.Instruction) -> Iterator[Touch]:
    """What stays on the forwarding path (which words, is known after the step) or in the turnaround register."""
    if instruction.form.from_pes:
        yield Touch("turn", True, np.arange(len(block_touch(instruction, True).addresses)))
    elif instruction.path:
        yield Touch(instruction.path, True, np.zeros(0, np.int64))


def _matrix(operand: p.Matrix, instruction: p.Instruction) -> Addresses:
    """The words of the rows written, of the columns read, or of all rows that a product uses."""
    size, row = ROWS[instruction.precision], operand.row or 0
    words = np.arange(size * MATRIX_WORDS).reshape(size, MATRIX_WORDS)
    count = 8 if operand.double else 4
    if instruction.op == "mwrite":
        return words[np.unique((row + np.arange(count)) % size)].ravel()
    if instruction.op == "mread":
        columns = (row + np.arange(count)) % size
        used = columns * MATRIX_WORDS // size
        if instruction.precision == "d":
            used = np.concatenate([used, used + 1])
        return words[:, np.unique(used)].ravel()
    if instruction.rows:
        words = words[: size // 2] if instruction.rows == "u" else words[size // 2 :]
    return words.ravel()


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
