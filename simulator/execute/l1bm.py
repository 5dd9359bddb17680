"""L1BM instructions: between the L1BM of each L1B and its 64 PEs (isa.md, section 8).

A transfer moves one block of long words per L1B. Every family orders its block the same way in both directions:
cycle, then MAB (those that differ), then long word of the datum, then PE. The turnaround register keeps such a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator import isa, numbers
from simulator.execute.action import Action, NotExecutable, Result, Write, latch_path
from simulator.execute.elements import WIDTH, fit, join_words, pack, split_long_words, unpack
from simulator.execute.masks import flusher
from simulator.execute.operands import reader, writers
from simulator.memories import ALL_L1BS, ALL_PES, L2BS, LongWords, Memories, Words, load_block, store_block
from simulator.numbers.reduction import L1BM_4_STAGES, L1BM_16_STAGES
from simulator.program import Instruction, L1bm, Turnaround

BlockReader = Callable[[Memories], LongWords]
QUARTER = isa.MABS // 4
PES = isa.PES_PER_MAB


@dataclass(frozen=True, slots=True)
class Family:
    """A transfer family: `mabs` different words per cycle and PE number: 1 (shared by all), 4 (quarters), 16 (own)."""

    name: str
    mabs: int

    def count(self, long_words: int) -> int:
        """Long words of a block: 4 cycles."""
        return 4 * self.mabs * long_words * PES


FAMILIES = {
    "l1bmm": Family("l1bmm", 1),
    "l1bmr": Family("l1bmm", 1),
    "l1bmm4": Family("l1bmm4", 4),
    "l1bmr4": Family("l1bmm4", 4),
    "l1bmd": Family("l1bmd", 16),
}


def decode(instruction: Instruction) -> Action[Result] | Action[LongWords]:
    """The action of an L1BM instruction: towards the PEs where its source is the L1BM. Raises NotExecutable."""
    if instruction.form.to_pes:
        return _to_pes(instruction)
    return _from_pes(instruction)


# --- towards the PEs -------------------------------------------------------------------------------------------------


def _to_pes(instruction: Instruction) -> Action[Result]:
    operand = instruction.sources[0].operand
    assert isinstance(operand, L1bm | Turnaround)
    long_words = operand.words // 2
    flush = flusher(instruction.flush)
    arrange = _broadcast if instruction.op == "l1bmp" else _deal(instruction, long_words)
    read = _block_reader(instruction, operand, long_words)

    def compute(memories: Memories) -> Result:
        return Result(flush(memories, arrange(read(memories))))

    return Action(compute, writers(instruction.destinations), latch_path("lbf"))


def _block_reader(instruction: Instruction, operand: L1bm | Turnaround, long_words: int) -> BlockReader:
    """Reads the block from the L1BM or the turnaround register: [l1b of the machine, a]."""
    op = instruction.op
    count = 4 * long_words if op == "l1bmp" else FAMILIES[op].count(long_words)
    if isinstance(operand, L1bm):
        address = operand.address
        return lambda memories: load_block(memories.l1bm, address, count).reshape(ALL_L1BS, count)
    wanted = _turnaround_name(op, long_words)

    def read(memories: Memories) -> LongWords:
        if memories.turnaround is None or memories.turnaround[0] != wanted:
            held = "nothing" if memories.turnaround is None else f"a block of {memories.turnaround[0]}"
            raise NotExecutable(
                f"the turnaround register holds {held}, but `{instruction.text}` needs one of {wanted}",
                "send the data with the same kind of transfer in the step before",
            )
        return memories.turnaround[1]

    return read


def _turnaround_name(op: str, long_words: int) -> str:
    return f"{FAMILIES[op].name} $l{'l' * (long_words - 1)}bi"


def _broadcast(block: LongWords) -> Words:
    """l1bmp: every PE gets long word 4w + c in cycle c."""
    pairs = split_long_words(block.reshape(ALL_L1BS, -1, 4))  # [l1b, w, cycle, high or low]
    words = pairs.transpose(2, 1, 3, 0).reshape(4, -1, ALL_L1BS)
    return np.repeat(words, ALL_PES // ALL_L1BS, axis=2)


def _deal(instruction: Instruction, long_words: int) -> Callable[[LongWords], Words]:
    """l1bmm, l1bmm4, l1bmd: PE p gets its words of the block; `l1bmd+n` gives MAB m what MAB m - n would get."""
    mabs = FAMILIES[instruction.op].mabs
    shift = instruction.shift

    def arrange(block: LongWords) -> Words:
        pairs = split_long_words(block.reshape(ALL_L1BS, 4, mabs, long_words, PES))
        if shift:
            pairs = np.roll(pairs, shift, axis=2)
        by_cycle = pairs.transpose(1, 3, 5, 0, 2, 4)  # [cycle, w, high or low, l1b, mab, pe]
        by_cycle = by_cycle.reshape(4, 2 * long_words, ALL_L1BS, mabs, 1, PES)
        copies = isa.MABS // mabs
        spread = np.broadcast_to(by_cycle, (4, 2 * long_words, ALL_L1BS, mabs, copies, PES))
        return spread.reshape(4, 2 * long_words, ALL_PES)

    return arrange


# --- from the PEs ----------------------------------------------------------------------------------------------------


def _from_pes(instruction: Instruction) -> Action[LongWords]:
    """The block goes to the turnaround register and, unless that is the destination (`$lbi`), to the L1BM."""
    operand = instruction.destinations[0].operand
    assert isinstance(operand, L1bm | Turnaround)
    long_words = operand.words // 2
    gather = _reduce(instruction, long_words) if instruction.reduction else _collect(instruction, long_words)
    name = _turnaround_name(instruction.op, long_words)
    shift = instruction.shift

    def write(memories: Memories, block: LongWords) -> None:
        assert isinstance(operand, L1bm)
        if shift:
            block = np.roll(block.reshape(ALL_L1BS, 4, isa.MABS, PES), shift, axis=2)
        store_block(memories.l1bm, operand.address, block.reshape(L2BS, isa.L1BS, -1))

    def latch(memories: Memories, block: LongWords) -> None:
        memories.turnaround = (name, block)

    return Action(gather, (Write(write),) if isinstance(operand, L1bm) else (), latch)


def _collect(instruction: Instruction, long_words: int) -> BlockReader:
    """l1bmm@k, l1bmm4@k, l1bmd: the block of the MABs that send, before any shift."""
    read = reader(instruction.sources[0].operand)
    mabs = FAMILIES[instruction.op].mabs

    def gather(memories: Memories) -> LongWords:
        words = fit(read(memories), 2 * long_words)
        words = np.broadcast_to(words, (4, 2 * long_words, ALL_PES))
        by_mab = words.reshape(4, long_words, 2, ALL_L1BS, mabs, isa.MABS // mabs, PES)[..., instruction.mab, :]
        values = join_words(by_mab[:, :, 0], by_mab[:, :, 1])  # [cycle, w, l1b, mab, pe]
        return values.transpose(2, 0, 3, 1, 4).reshape(ALL_L1BS, -1)

    return gather


def _reduce(instruction: Instruction, long_words: int) -> BlockReader:
    """l1bmr, l1bmr4: the block of the MABs combined.

    Half-precision sums run on the single-precision circuit: widened, summed, narrowed at the end.
    """
    source = instruction.sources[0]
    read = reader(source.operand)
    op, letter = instruction.reduction, instruction.precision
    on_singles = letter == "h" and op == "fadd"
    widening, narrowing = source.widen or on_singles, instruction.narrow or on_singles
    letter = "f" if on_singles else letter
    width = WIDTH[letter] // 2 if widening else WIDTH[letter]
    count = long_words * 64 // WIDTH[letter]
    mabs = FAMILIES[instruction.op].mabs
    stages = L1BM_16_STAGES if mabs == 1 else L1BM_4_STAGES

    def gather(memories: Memories) -> LongWords:
        elements = unpack(read(memories), width, count)
        elements = np.broadcast_to(elements, (4, count, ALL_PES))
        by_mab = elements.reshape(4, count, ALL_L1BS, mabs, isa.MABS // mabs, PES)
        values = np.moveaxis(by_mab, 4, 0)  # [input, cycle, element, l1b, mab, pe]
        result = numbers.reduce(op, letter, values, stages, widening=widening, narrowing=narrowing)
        words = fit(pack(result.reshape(4, count, -1)), 2 * long_words)
        by_long_word = words.reshape(4, long_words, 2, ALL_L1BS, mabs, PES)
        joined = join_words(by_long_word[:, :, 0], by_long_word[:, :, 1])  # [cycle, w, l1b, mab, pe]
        return joined.transpose(2, 0, 3, 1, 4).reshape(ALL_L1BS, -1)

    return gather
