"""Transfers between memories: L2BM and MV instructions, executed as their index formulas say (isa.md, 6 and 7).

What moves where stands only in the table of instructions; here it is carried out for the whole machine. Blocks are
uint64 [row, unit, a]: rows are what a formula is the same for (L2Bs, or L1Bs), units those that its sides name.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simulator.engine import numbers
from simulator.engine.numbers.reduction import stages_of
from simulator.engine.numpy.action import Action, NotExecutable, Write
from simulator.engine.numpy.dar import read_dram, write_dram
from simulator.engine.state.elements import WIDTH, join_elements, split_elements
from simulator.engine.state.memories import LongWords, Memories, load_block, store_block
from simulator.isa.gather import Gather, Side, gather_of
from simulator.isa.program import Dram, DramIndirect, Instruction, L1bm, L2bm, Move, Operand, Pdm
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from simulator.messages import tr

Combine = Callable[[LongWords], LongWords]


def decode_instruction(instruction: Instruction) -> Action[LongWords]:
    """The action of an L2BM instruction between memories."""
    transfer = known(transfer_of(instruction), instruction.text)
    compute, store = _between(
        transfer, instruction.sources[0].operand, instruction.destinations[0].operand, instruction
    )
    return Action(compute, (Write(store),))


def decode_move(move: Move) -> Callable[[Memories], None]:
    """A function that performs an MV instruction. Raises NotExecutable."""
    if move.source is None or move.destination is None:  # mvnop
        return lambda _: None
    transfer = known(move_transfer(move), move.text)
    compute, store = _between(transfer, move.source.operand, move.destination.operand, move)
    return lambda memories: store(memories, compute(memories))


def known(transfer: Transfer | None, text: str) -> Transfer:
    """A transfer that there is. Raises NotExecutable."""
    if transfer is None:
        raise NotExecutable(tr("`{text}` is not executed: the table has no such form of it", text))
    return transfer


def _between(
    transfer: Transfer, source: Operand, destination: Operand, line: Instruction | Move
) -> tuple[Callable[[Memories], LongWords], Callable[[Memories, LongWords], None]]:
    gather, units = gather_of(transfer), line.units if isinstance(line, Move) else 1
    index = gather.index
    combine = _combiner(gather, line)
    shape = (-1, len(gather.destination.units), gather.destination.count)

    def compute(memories: Memories) -> LongWords:
        block = load(memories, source, gather.source, units)
        flat = block.reshape(len(block), -1)
        if gather.plain and not line.reduction:
            return np.array(flat.reshape(shape))
        return combine(np.moveaxis(np.take(flat, index, axis=1), 1, 0)).reshape(shape)

    def store(memories: Memories, block: LongWords) -> None:
        store_units(memories, destination, gather.destination, block, units)

    return compute, store


def _combiner(gather: Gather, line: Instruction | Move) -> Combine:
    """What makes one block of inputs[input, row, a]; units outside the set contribute the initial value."""
    if not line.reduction:
        return lambda inputs: inputs[0]
    op, letter, source = line.reduction, line.precision, gather.source
    missing = source.of - len(source.units)
    stages = stages_of(source.memory, len(gather.index) + missing)

    def combine(inputs: LongWords) -> LongWords:
        values = split_elements(inputs, WIDTH[letter])
        if missing:
            rest = np.full((missing, *values.shape[1:]), numbers.initial_value(op, letter), values.dtype)
            values = np.concatenate([values, rest])
        return join_elements(numbers.reduce(op, letter, values, stages))

    return combine


def _view(memories: Memories, side: Side) -> LongWords:
    """A memory as [row, unit, a]."""
    array: LongWords = getattr(memories, side.memory.lower())
    return array.reshape(-1, side.of, array.shape[-1])


def load(memories: Memories, operand: Operand, side: Side, units: int = 1) -> LongWords:
    """The block of the units that take part; it may be a view."""
    if isinstance(operand, Dram | DramIndirect):
        return np.stack([read_dram(memories, operand, group, side.count, units) for group in side.units])[None]
    assert isinstance(operand, L1bm | L2bm | Pdm)
    block = load_block(_view(memories, side), operand.address, side.count)
    return block if len(side.units) == side.of else block[:, side.units]


def store_units(memories: Memories, operand: Operand, side: Side, block: LongWords, units: int = 1) -> None:
    """Store a block in the units that take part. units: as `nd`, where the address comes from the table."""
    if isinstance(operand, Dram | DramIndirect):
        for group, part in zip(side.units, block[0], strict=True):
            write_dram(memories, operand, group, part, units)
        return
    assert isinstance(operand, L1bm | L2bm | Pdm)
    array = _view(memories, side)
    if len(side.units) == side.of:
        store_block(array, operand.address, block)
    else:
        for number, unit in enumerate(side.units):
            store_block(array[:, unit], operand.address, block[:, number])
