"""L2BM instructions: between the L2BM of each L2B and its 8 L1BMs, done in every L2B separately (isa.md, section 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator import isa, numbers
from simulator.execute.action import Action, Write
from simulator.execute.elements import WIDTH, join_elements, split_elements
from simulator.memories import L2BS, LongWords, Memories, load_block, store_block
from simulator.numbers.reduction import L2BM_2_STAGES, L2BM_8_STAGES
from simulator.program import Instruction, L1bm, L2bm

L1BS = isa.L1BS


@dataclass(frozen=True, slots=True)
class Ends:
    """Addresses of a transfer and the L1Bs that take part."""

    source: int
    destination: int
    l1bs: list[int]


def decode(instruction: Instruction) -> Action[LongWords]:
    """The action of an L2BM instruction between memories."""
    source, destination = instruction.sources[0].operand, instruction.destinations[0].operand
    assert isinstance(source, L1bm | L2bm) and isinstance(destination, L1bm | L2bm)
    l1bs = sorted(range(L1BS) if instruction.l1bs is None else instruction.l1bs)
    ends = Ends(source.address, destination.address, l1bs)
    if instruction.op == "l2bmi":
        return _indirect(ends, instruction.free)
    if isinstance(source, L2bm):
        return _down(instruction.op, ends)
    if instruction.reduction:
        return _reduce(instruction, ends)
    return _up(instruction.op, ends)


def _down(op: str, ends: Ends) -> Action[LongWords]:
    """l2bmb, l2bmb2, l2bmd: L2BM to the chosen L1BMs; the value is [l2b, l1b, a]."""

    def broadcast(memories: Memories) -> LongWords:
        block = load_block(memories.l2bm, ends.source, 64)
        return np.repeat(block[:, None], L1BS, axis=1)

    def broadcast_pairs(memories: Memories) -> LongWords:
        block = load_block(memories.l2bm, ends.source, 256).reshape(L2BS, 4, 4, 16)  # [l2b, cycle, pair, j]
        return np.repeat(block.transpose(0, 2, 1, 3).reshape(L2BS, 4, 64), 2, axis=1)

    def deal(memories: Memories) -> LongWords:
        block = load_block(memories.l2bm, ends.source, 256).reshape(L2BS, 4, L1BS, 8)  # [l2b, cycle, l1b, k]
        return np.array(block.transpose(0, 2, 1, 3)).reshape(L2BS, L1BS, 32)

    def write(memories: Memories, block: LongWords) -> None:
        for l1b in ends.l1bs:
            store_block(memories.l1bm[:, l1b], ends.destination, block[:, l1b])

    return Action({"l2bmb": broadcast, "l2bmb2": broadcast_pairs, "l2bmd": deal}[op], (Write(write),))


def _up(op: str, ends: Ends) -> Action[LongWords]:
    """l2bmd, l2bm@b: L1BM to L2BM; the value is [l2b, a]."""

    def gather(memories: Memories) -> LongWords:
        block = load_block(memories.l1bm, ends.source, 32).reshape(L2BS, L1BS, 4, 8)  # [l2b, l1b, cycle, k]
        return np.array(block.transpose(0, 2, 1, 3)).reshape(L2BS, 256)

    def copy(memories: Memories) -> LongWords:
        return np.array(load_block(memories.l1bm[:, ends.l1bs[0]], ends.source, 64))

    return Action(gather if op == "l2bmd" else copy, (_store_l2bm(ends),))


def _reduce(instruction: Instruction, ends: Ends) -> Action[LongWords]:
    """l2bmr: the 8 L1BMs combined, those outside the set giving the initial value; l2bmr2: each pair combined."""
    op, letter = instruction.reduction, instruction.precision
    width = WIDTH[letter]
    excluded = [l1b for l1b in range(L1BS) if l1b not in ends.l1bs]
    initial = numbers.initial_value(op, letter)

    def combine(memories: Memories) -> LongWords:
        block = load_block(memories.l1bm, ends.source, 64)
        values = split_elements(block.swapaxes(0, 1), width)  # [l1b, l2b, a, element]
        values[excluded] = initial
        return join_elements(numbers.reduce(op, letter, values, L2BM_8_STAGES))

    def combine_pairs(memories: Memories) -> LongWords:
        block = load_block(memories.l1bm, ends.source, 64).reshape(L2BS, 4, 2, 4, 16)  # [l2b, pair, input, cycle, j]
        values = split_elements(np.moveaxis(block, 2, 0), width)
        result = join_elements(numbers.reduce(op, letter, values, L2BM_2_STAGES))  # [l2b, pair, cycle, j]
        return result.transpose(0, 2, 1, 3).reshape(L2BS, 256)

    return Action(combine if instruction.op == "l2bmr" else combine_pairs, (_store_l2bm(ends),))


def _indirect(ends: Ends, free: int) -> Action[LongWords]:
    """l2bmi@b0/i: every source s of the set reaches the L1Bs y with y AND i = s AND i."""
    origin = {y: s for s in ends.l1bs for y in range(L1BS) if y & free == s & free}

    def copy(memories: Memories) -> LongWords:
        return np.array(load_block(memories.l1bm, ends.source, 64))

    def write(memories: Memories, block: LongWords) -> None:
        for target, source in origin.items():
            store_block(memories.l1bm[:, target], ends.destination, block[:, source])

    return Action(copy, (Write(write),))


def _store_l2bm(ends: Ends) -> Write[LongWords]:
    return Write(lambda memories, block: store_block(memories.l2bm, ends.destination, block))
