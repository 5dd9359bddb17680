"""Buffers of the L1BM and L2BM taken in turn, so that one use of a buffer need not wait for the end of the one before.

A value and all that is read together with it (a web, as compilers call it) moves to a copy of the used part of its
memory, which lies in a part that the program does not use. Webs that read what the program found, or that are there at
its end, stay where they are; so the words that the program used before hold the same at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from simulator import isa
from simulator.isa import program as p
from simulator.isa.gather import Side, gather_of
from simulator.isa.transfers import move_transfer, transfer_of
from simulator.schedule.addresses import readdressed
from simulator.schedule.keep import Kept
from simulator.schedule.nodes import Node, nodes_of, steps_of
from simulator.schedule.registers import moved_words
from simulator.schedule.webs import Web, webs_of

BLOCK = 4
"""Long words of a cell: every transfer of the L1BM or L2BM writes whole cells, and MV lines are looked at closely."""
ALIGNED = 64
"""What all addresses are moved by a multiple of: the coarsest that an instruction asks for."""
SIZES = {"L1BM": isa.L1BM_LONGS, "L2BM": isa.L2BM_LONGS, "PDM": isa.PDM_LONGS}
UNITS = isa.L1BS  # of an L2B; the L2Bs of the machine are as many
Cell = tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class BufferUse:
    """One operand of a node, by its number among sources, then destinations.

    cells: unit and number; whole: those that it writes all of.
    """

    node: Node
    operand: int
    written: bool
    address: int
    count: int
    cells: tuple[Cell, ...]
    whole: frozenset[Cell]


def renamings(program: p.Program, kept: Kept) -> list[p.Program]:
    """The program with its buffers in turn, and where not everything is kept, also with words of GRF and LM in turn;
    only those that differ from the program."""
    nodes = nodes_of(program)
    buffers: dict[tuple[Node, int], int] = {}
    for memory, size in SIZES.items():
        uses = _uses(nodes, memory)
        if uses is not None:
            webs = webs_of(uses, partial(_is_kept, kept, memory.lower()))
            buffers |= _moved(webs, size, kept.untouched(memory.lower()))
    words = moved_words(nodes, kept) if kept.some else {}
    found = [buffers] * bool(buffers) + [{**buffers, **words}] * bool(words)
    return [readdressed(program, nodes, moved) for moved in found]


# --- what is used ----------------------------------------------------------------------------------------------------


def _uses(nodes: Sequence[Node], memory: str) -> list[BufferUse] | None:
    """All uses of a memory, what a step reads before what it writes; None where some use cannot be moved."""
    found: list[BufferUse] = []
    for step in steps_of(nodes):
        here: list[BufferUse] = []
        for node in step:
            if isinstance(node.line, p.DebugGet | p.DebugSet) and node.line.target.memory == memory.lower():
                return None
            if node.instruction is not None and node.instruction.op == "l2bmdars":
                return None
            here += _of_node(node, memory)
        found += sorted(here, key=lambda use: use.written)
    size = SIZES[memory]
    return None if any(use.address + use.count > size for use in found) else found


def _of_node(node: Node, memory: str) -> Iterator[BufferUse]:
    line: p.Instruction | p.Move | p.Line = node.instruction or node.line
    if isinstance(line, p.Instruction):
        transfer = transfer_of(line) if line.unit in ("l1bm", "l2bm") else None
        operands = [line.sources[0].operand, line.destinations[0].operand] if transfer is not None else []
    elif isinstance(line, p.Move) and line.source is not None and line.destination is not None:
        transfer, operands = move_transfer(line), [line.source.operand, line.destination.operand]
    else:
        return
    if transfer is None:
        return
    gather = gather_of(transfer)
    for number, (side, operand) in enumerate(zip((gather.source, gather.destination), operands, strict=True)):
        if side.memory == memory and isinstance(operand, p.L1bm | p.L2bm | p.Pdm):
            place = number * (len(line.sources) if isinstance(line, p.Instruction) else 1)
            yield _use(node, place, number == 1, side, operand.address)


def _is_kept(kept: Kept, memory: str, cell: Cell) -> bool:
    return kept.block(memory, BLOCK, cell[1])


def _use(node: Node, place: int, written: bool, side: Side, address: int) -> BufferUse:
    units = side.units if side.of > 1 else range(UNITS)
    end = address + side.count
    blocks = range(address // BLOCK, (end - 1) // BLOCK + 1)
    inside = range(-(-address // BLOCK), end // BLOCK)
    cells, whole = tuple(product(units, blocks)), frozenset(product(units, inside)) if written else frozenset()
    return BufferUse(node, place, written, address, side.count, cells, whole)


# --- places ----------------------------------------------------------------------------------------------------------


def _moved(webs: Sequence[Web[BufferUse]], size: int, untouched: Sequence[range]) -> dict[tuple[Node, int], int]:
    """By how much the address of each operand grows: a web goes where nothing was used for longest."""
    ends = [use.address + use.count for web in webs for use in web.uses]
    first = -(-max(ends, default=0) // ALIGNED)  # from here on the memory is free
    last_used = np.full(size // ALIGNED, -1)
    for words in untouched:
        last_used[words.start // ALIGNED : -(-words.stop // ALIGNED)] = np.iinfo(last_used.dtype).max
    found: dict[tuple[Node, int], int] = {}
    for web in webs:
        start = min(use.address for use in web.uses) // ALIGNED
        stop = -(-max(use.address + use.count for use in web.uses) // ALIGNED)
        chosen, length = start, stop - start
        begin = min(use.node.number for use in web.uses)
        if not web.fixed and first + length <= len(last_used):
            free = np.lib.stride_tricks.sliding_window_view(last_used[first:], length).max(axis=1)
            if free.min() < begin:
                chosen = first + int(free.argmin())
        if chosen != start:
            last_used[chosen : chosen + length] = max(use.node.number for use in web.uses)
            found |= {(use.node, use.operand): ALIGNED * (chosen - start) for use in web.uses}
    return found
