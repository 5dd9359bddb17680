"""L1BM instructions: between the L1BM of each L1B and its PEs, executed as their formulas say (isa.md, section 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simulator import isa
from simulator.engine import numbers
from simulator.engine.numbers.reduction import stages_of
from simulator.engine.numpy.action import Action, NotExecutable, Result, Write, latch_path
from simulator.engine.numpy.masks import flusher
from simulator.engine.numpy.operands import reader, writers
from simulator.engine.numpy.transfers import known, load, store_units
from simulator.engine.state.elements import WIDTH, fit, join_words, pack, split_long_words, unpack
from simulator.engine.state.memories import LongWords, Memories
from simulator.isa import ALL_L1BS, ALL_PES
from simulator.isa.formulas import Index
from simulator.isa.gather import PES, Gather, gather_of
from simulator.isa.program import Instruction, L1bm, Turnaround
from simulator.isa.transfers import transfer_of, turnaround_block
from simulator.messages import tr

CYCLES = isa.STEP_CYCLES


def decode(instruction: Instruction) -> Action[Result] | Action[LongWords]:
    """The action of an L1BM instruction: towards the PEs where its source is the L1BM. Raises NotExecutable."""
    return _to_pes(instruction) if instruction.form.to_pes else _from_pes(instruction)


# --- towards the PEs -------------------------------------------------------------------------------------------------


def _to_pes(instruction: Instruction) -> Action[Result]:
    operand = instruction.sources[0].operand
    assert isinstance(operand, L1bm | Turnaround)
    gather = gather_of(known(transfer_of(instruction), instruction.text))
    words, flush = _words_of_pes(gather), flusher(instruction.flush)

    def compute(memories: Memories) -> Result:
        if isinstance(operand, L1bm):
            block = load(memories, operand, gather.source)
        else:
            block = _turned(memories, instruction, operand)
        return Result(flush(memories, np.take(split_long_words(block), words)))

    return Action(compute, writers(instruction.destinations), latch_path("lbf"))


@lru_cache(maxsize=64)
def _words_of_pes(gather: Gather) -> NDArray[np.intp]:
    """[cycle, word, pe]: which word of all blocks, one after another, each PE gets."""
    longs = gather.index.reshape(CYCLES, -1, 1, 1, PES) + gather.source.count * np.arange(ALL_L1BS)[:, None]
    return np.asarray(2 * longs + np.arange(2)[:, None, None], np.intp).reshape(CYCLES, -1, ALL_PES)


def _turned(memories: Memories, instruction: Instruction, operand: Turnaround) -> LongWords:
    """The block in the turnaround register. Raises NotExecutable where it is not of this kind."""
    wanted, _ = turnaround_block(instruction, operand)
    if memories.turnaround is None or memories.turnaround[0] != wanted:
        held = tr("nothing") if memories.turnaround is None else tr("a block of {turnaround}", memories.turnaround[0])
        raise NotExecutable(
            tr(
                "the turnaround register holds {held}, but `{text}` needs one of {wanted}",
                held,
                instruction.text,
                wanted,
            ),
            tr("send the data with the same kind of transfer in the step before"),
        )
    return memories.turnaround[1]


# --- from the PEs ----------------------------------------------------------------------------------------------------


def _from_pes(instruction: Instruction) -> Action[LongWords]:
    """The block goes to the turnaround register and, unless that is the destination (`$lbi`), to the L1BM.

    The register gets it as it is without a shift: that of the pair acts once (isa.md, section 8).
    """
    operand = instruction.destinations[0].operand
    assert isinstance(operand, L1bm | Turnaround)
    transfer = known(transfer_of(instruction), instruction.text)
    gather, order = gather_of(transfer), None
    if transfer.constants.get("n"):
        shifted, gather = gather, gather_of(replace(transfer, constants={**transfer.constants, "n": 0}))
        order = np.argsort(gather.index[0])[shifted.index[0]]
    name, _ = turnaround_block(instruction, operand)

    def write(memories: Memories, block: LongWords) -> None:
        assert isinstance(operand, L1bm)
        turned = block if order is None else block[:, order]
        store_units(memories, operand, gather.destination, turned[:, None])

    def latch(memories: Memories, block: LongWords) -> None:
        memories.turnaround = (name, block)

    compute = _reduced(instruction, gather) if instruction.reduction else _collected(instruction, gather)
    return Action(compute, (Write(write),) if isinstance(operand, L1bm) else (), latch)


def _collected(instruction: Instruction, gather: Gather) -> Callable[[Memories], LongWords]:
    """The blocks [l1b of the machine, a] of what PEs send."""
    read, wide = reader(instruction.sources[0].operand), gather.source.count // PES // CYCLES
    sent = _sent(gather)

    def compute(memories: Memories) -> LongWords:
        words = fit(read(memories), 2 * wide)
        words = np.broadcast_to(words, (CYCLES, 2 * wide, ALL_PES))
        return join_words(np.take(words, sent.high), np.take(words, sent.low))

    return compute


def _reduced(instruction: Instruction, gather: Gather) -> Callable[[Memories], LongWords]:
    """The blocks [l1b of the machine, a] of the PEs' elements combined, in stages as section 11.5 has them.

    Half-precision sums run on the single-precision circuit: widened, summed, narrowed at the end.
    """
    source = instruction.sources[0]
    read, wide = reader(source.operand), gather.source.count // PES // CYCLES
    op, letter = instruction.reduction, instruction.precision
    on_singles = letter == "h" and op == "fadd"
    widening, narrowing = source.widen or on_singles, instruction.narrow or on_singles
    letter = "f" if on_singles else letter
    width = WIDTH[letter] // 2 if widening else WIDTH[letter]
    count, stages = wide * 64 // WIDTH[letter], stages_of("PE", len(gather.index))
    sent = _sent(gather)

    def compute(memories: Memories) -> LongWords:
        elements = np.broadcast_to(unpack(read(memories), width, count), (CYCLES, count, ALL_PES))
        inputs = elements.reshape(CYCLES, count, ALL_L1BS, PES)[..., sent.pes]
        values = np.moveaxis(inputs, 3, 0)  # [input, cycle, element, l1b, pe]
        result = numbers.reduce(op, letter, values, stages, widening=widening, narrowing=narrowing)
        words = fit(pack(result.reshape(CYCLES, count, -1)), 2 * wide)
        return join_words(np.take(words, sent.high), np.take(words, sent.low))

    return compute


@dataclass(frozen=True)
class Sent:
    """pes: [input, pe], the PEs of an L1B that are combined with each other.

    high, low: [l1b of the machine, a], which word of their datum [cycle, word, l1b and pe] makes which half of a block.
    """

    pes: Index
    high: Index
    low: Index


@lru_cache(maxsize=64)
def _sent(gather: Gather) -> Sent:
    longs, pes = np.divmod(gather.index, PES)
    used, where = np.unique(pes[0], return_index=True)
    if len(pes) == 1:  # nothing is combined, so the datum is that of all PEs
        used = np.arange(PES)
    row = len(used) * np.arange(ALL_L1BS)[:, None]
    high = 2 * longs[0] * ALL_L1BS * len(used) + row + np.searchsorted(used, pes[0])
    return Sent(pes[:, where], high, high + ALL_L1BS * len(used))
