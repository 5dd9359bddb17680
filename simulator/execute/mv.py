"""MV instructions: between DRAM, PDM and L2BM (isa.md, section 6). Sizes and addresses are in long words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator import isa, numbers
from simulator.execute.action import NotExecutable
from simulator.execute.dar import read_dram, write_dram
from simulator.execute.elements import WIDTH, join_elements, split_elements
from simulator.memories import L2BS, LongWords, Memories, load_block, store_block
from simulator.numbers.reduction import MV_2_STAGES, MV_4_STAGES, MV_8_STAGES
from simulator.program import Dram, DramIndirect, L2bm, Move, Pdm

Run = Callable[[Memories], None]
AnyDram = Dram | DramIndirect
Place = Dram | DramIndirect | Pdm | L2bm
GROUPS = isa.GROUPS
MVD_L2BM_SIZE_COUNTS_L2BM = True  # [A] `mvd` between PDM and L2BM: n of every L2BM (8n in the PDM); else n of the PDM


def decode(move: Move) -> Run:
    """A function that performs the MV instruction. Raises NotExecutable."""
    if move.op == "mvnop":
        return lambda _: None
    assert move.source is not None and move.destination is not None
    source, destination = move.source.operand, move.destination.operand
    assert isinstance(source, Place) and isinstance(destination, Place)
    decoders: dict[tuple[str, type, type], Callable[[Move, Any, Any], Run]] = {
        ("mvb", Pdm, L2bm): _broadcast_pdm,
        ("mvb", Dram, L2bm): _broadcast_dram,
        ("mvb2", Dram, L2bm): _broadcast_group,
        ("mvb4", Dram, L2bm): _broadcast_l2b,
        ("mvd", Pdm, Dram): _pdm_to_drams,
        ("mvd", Dram, Pdm): _drams_to_pdm,
        ("mvd", Pdm, L2bm): _pdm_to_l2bms,
        ("mvd", L2bm, Pdm): _l2bms_to_pdm,
        ("mvr", L2bm, Pdm): _reduce_to_pdm,
        ("mvr", L2bm, Dram): _reduce_to_drams,
        ("mvr2", L2bm, Dram): _reduce_group,
        ("mvr4", L2bm, Dram): _reduce_groups,
    }
    if move.op == "mvp":
        return _copy(move, source, destination)
    kinds = [Dram if isinstance(end, DramIndirect) else type(end) for end in (source, destination)]
    decoder = decoders.get((move.op, kinds[0], kinds[1]))
    if decoder is None:
        raise NotExecutable(f"`{move.text}` is not executed: no such pair of memories is known for `{move.op}`")
    return decoder(move, source, destination)


def _group(move: Move, operand: Pdm) -> int:
    if operand.group is None:
        raise NotExecutable(f"`{move.text}` needs a group on its PDM", "append @0 to @3 to the PDM operand")
    return operand.group


# --- plain copies ----------------------------------------------------------------------------------------------------


def _load(memories: Memories, operand: Place, group: int, move: Move) -> LongWords:
    if isinstance(operand, AnyDram):
        return read_dram(memories, operand, group, move.size, move.units)
    return _load_on_chip(memories, operand, group, move.size)


def _load_on_chip(memories: Memories, operand: Pdm | L2bm, group: int, count: int) -> LongWords:
    if isinstance(operand, Pdm):
        return np.array(load_block(memories.pdm[group], operand.address, count))
    return np.array(load_block(memories.l2bm[2 * group + (operand.l2b or 0)], operand.address, count))


def _store(memories: Memories, operand: Place, group: int, values: LongWords, move: Move) -> None:
    if isinstance(operand, AnyDram):
        write_dram(memories, operand, group, values, move.units)
    elif isinstance(operand, Pdm):
        store_block(memories.pdm[group], operand.address, values)
    else:
        store_block(memories.l2bm[2 * group + (operand.l2b or 0)], operand.address, values)


def _copy(move: Move, source: Place, destination: Place) -> Run:
    """mvp: from one group to another, or in each group separately where no group is named.

    [A] `$lc0` without `@` means L2B 0 of every group.
    """
    if source.group is None or destination.group is None:
        pairs = [(group, group) for group in range(GROUPS)]
    else:
        pairs = [(source.group, destination.group)]

    def run(memories: Memories) -> None:
        for origin, target in pairs:
            _store(memories, destination, target, _load(memories, source, origin, move), move)

    return run


# --- broadcasts ------------------------------------------------------------------------------------------------------


def _all_drams(memories: Memories, operand: AnyDram, count: int, move: Move) -> LongWords:
    """`count` long words of every group: [group, a]."""
    return np.stack([read_dram(memories, operand, group, count, move.units) for group in range(GROUPS)])


def _broadcast_pdm(move: Move, source: Pdm, destination: L2bm) -> Run:
    """mvb $p: the same block to all 8 L2BMs."""
    group = _group(move, source)
    return lambda memories: store_block(memories.l2bm, destination.address, _load(memories, source, group, move))


def _broadcast_dram(move: Move, source: AnyDram, destination: L2bm) -> Run:
    """mvb $d [A]: all 8 L2BMs get pieces of 16 of the four groups in turn."""

    def run(memories: Memories) -> None:
        parts = _all_drams(memories, source, move.size // 4, move).reshape(GROUPS, -1, 16)
        store_block(memories.l2bm, destination.address, parts.swapaxes(0, 1).reshape(-1))

    return run


def _broadcast_group(move: Move, source: AnyDram, destination: L2bm) -> Run:
    """mvb2: both L2BMs of each group get the group's block."""

    def run(memories: Memories) -> None:
        block = _all_drams(memories, source, move.size, move)
        store_block(memories.l2bm, destination.address, np.repeat(block, isa.L2BS_PER_GROUP, axis=0))

    return run


def _broadcast_l2b(move: Move, source: AnyDram, destination: L2bm) -> Run:
    """mvb4: L2B l of every group gets pieces of 16 of the four groups in turn; a group's DRAM alternates l."""

    def run(memories: Memories) -> None:
        parts = _all_drams(memories, source, move.size // 2, move).reshape(GROUPS, -1, 2, 16)  # [g, i, l, k]
        by_l2b = parts.transpose(2, 1, 0, 3).reshape(2, -1)
        store_block(memories.l2bm, destination.address, np.tile(by_l2b, (GROUPS, 1)))

    return run


# --- dealing out and gathering ---------------------------------------------------------------------------------------


def _store_drams(memories: Memories, operand: AnyDram, values: LongWords, move: Move) -> None:
    """Each group's DRAM gets its row of values[group, a]."""
    for group, part in enumerate(values):
        write_dram(memories, operand, group, part, move.units)


def _deal(values: LongWords, parts: int) -> LongWords:
    """Pieces of 16 dealt out in turn: [part, a]."""
    return values.reshape(-1, parts, 16).swapaxes(0, 1).reshape(parts, -1)


def _gather(values: LongWords) -> LongWords:
    """The inverse of `_deal`."""
    return values.reshape(len(values), -1, 16).swapaxes(0, 1).reshape(-1)


def _pdm_to_drams(move: Move, source: Pdm, destination: AnyDram) -> Run:
    group = _group(move, source)
    return lambda memories: _store_drams(
        memories, destination, _deal(_load_on_chip(memories, source, group, move.size), GROUPS), move
    )


def _drams_to_pdm(move: Move, source: AnyDram, destination: Pdm) -> Run:
    group = _group(move, destination)
    return lambda memories: store_block(
        memories.pdm[group], destination.address, _gather(_all_drams(memories, source, move.size // GROUPS, move))
    )


def _l2bm_count(move: Move) -> int:
    if MVD_L2BM_SIZE_COUNTS_L2BM:
        return move.size
    if move.size % (16 * L2BS):
        raise NotExecutable(f"`{move.text}`: the size must be a multiple of {16 * L2BS} to reach all 8 L2BMs")
    return move.size // L2BS


def _pdm_to_l2bms(move: Move, source: Pdm, destination: L2bm) -> Run:
    group, count = _group(move, source), _l2bm_count(move)
    return lambda memories: store_block(
        memories.l2bm, destination.address, _deal(_load_on_chip(memories, source, group, L2BS * count), L2BS)
    )


def _l2bms_to_pdm(move: Move, source: L2bm, destination: Pdm) -> Run:
    group, count = _group(move, destination), _l2bm_count(move)
    return lambda memories: store_block(
        memories.pdm[group], destination.address, _gather(load_block(memories.l2bm, source.address, count))
    )


# --- reductions ------------------------------------------------------------------------------------------------------


def _combine(move: Move, inputs: LongWords, stages: tuple[int, ...]) -> LongWords:
    """Reduce inputs[input, …] over the first axis."""
    values = split_elements(inputs, WIDTH[move.precision])
    return join_elements(numbers.reduce(move.reduction, move.precision, values, stages))


def _reduce_to_pdm(move: Move, source: L2bm, destination: Pdm) -> Run:
    group = _group(move, destination)

    def run(memories: Memories) -> None:
        result = _combine(move, load_block(memories.l2bm, source.address, move.size), MV_8_STAGES)
        store_block(memories.pdm[group], destination.address, result)

    return run


def _reduce_to_drams(move: Move, source: L2bm, destination: AnyDram) -> Run:
    def run(memories: Memories) -> None:
        result = _combine(move, load_block(memories.l2bm, source.address, move.size), MV_8_STAGES)
        _store_drams(memories, destination, _deal(result, GROUPS), move)

    return run


def _reduce_group(move: Move, source: L2bm, destination: AnyDram) -> Run:
    """mvr2: each group's two L2BMs combined into its DRAM."""

    def run(memories: Memories) -> None:
        block = load_block(memories.l2bm, source.address, move.size).reshape(GROUPS, 2, move.size)
        _store_drams(memories, destination, _combine(move, block.swapaxes(0, 1), MV_2_STAGES), move)

    return run


def _reduce_groups(move: Move, source: L2bm, destination: AnyDram) -> Run:
    """mvr4: the four groups' L2B l combined; pieces of 16 go to the groups in turn, l alternating in each DRAM."""

    def run(memories: Memories) -> None:
        block = load_block(memories.l2bm, source.address, move.size).reshape(GROUPS, 2, move.size)
        result = _combine(move, block, MV_4_STAGES)  # [l, a]
        parts = result.reshape(2, -1, GROUPS, 16)  # [l, i, g, k]
        _store_drams(memories, destination, parts.transpose(2, 1, 0, 3).reshape(GROUPS, -1), move)

    return run
