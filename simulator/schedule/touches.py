"""Which cells of which memories a node reads and writes: every word that it may touch, never fewer.

A cell is a word of a PE memory or a block of a larger memory. Units are not told apart: what is sent to one L1B counts
as sent to all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from simulator import isa
from simulator.isa import CYCLE_MASKS
from simulator.isa import program as p
from simulator.isa.gather import gather_of
from simulator.isa.transfers import ELEMENTS, move_transfer, transfer_of
from simulator.isa.words import Spans, block_spans, pe_spans
from simulator.schedule.nodes import Node

BLOCK = {"l1bm": 4, "l2bm": 16, "pdm": 16, "dram": 16}
"""Long words of a cell."""
_SIZES = {"l1bm": isa.L1BM_LONGS, "l2bm": isa.L2BM_LONGS, "pdm": isa.PDM_LONGS, "dram": isa.DRAM_LONGS}


class Touch(NamedTuple):
    """cells: None = all of the memory."""

    memory: str
    cells: frozenset[int] | None
    written: bool


def moved_banks(nodes: Iterable[Node]) -> frozenset[str]:
    """The banks of LM whose base address the program sets."""
    destinations = (d.operand for node in nodes if node.instruction is not None for d in node.instruction.destinations)
    return frozenset(operand.bank for operand in destinations if isinstance(operand, p.BaseAddress))


def touches(node: Node, moved: frozenset[str]) -> Iterator[Touch]:
    """All accesses of an instruction or MV line, but for forwarding paths and the turnaround register.

    moved: banks of LM whose base address may be anything; of others it is a multiple of 4, as at the start. A debug
    statement, which may touch everything, has no touches of its own.
    """
    if node.instruction is not None:
        yield from _of_instruction(node.instruction, moved)
    elif isinstance(node.line, p.Move):
        yield from _of_move(node.line)


# --- instructions ----------------------------------------------------------------------------------------------------


def _of_instruction(instruction: p.Instruction, moved: frozenset[str]) -> Iterator[Touch]:
    if instruction.op == "l2bmdarw":
        yield from (Touch("dar fetched", None, True), Touch("dar", None, True))
    if instruction.flush is not None:
        yield from _mask(instruction.flush)
    for source in instruction.sources:
        yield from _of_operand(instruction, source.operand, False, moved)
    for destination in instruction.destinations:
        yield from _of_operand(instruction, destination.operand, True, moved)
        if destination.mask is not None:
            yield from _mask(destination.mask.entry)


def _mask(entry: int) -> Iterator[Touch]:
    if 0 < entry < CYCLE_MASKS:
        yield Touch("omr", frozenset({entry}), False)


def _of_operand(
    instruction: p.Instruction, operand: p.Operand, written: bool, moved: frozenset[str]
) -> Iterator[Touch]:
    if isinstance(operand, p.PeMemory):
        yield from _pe_memory(operand, written, operand.bank in moved)
    elif isinstance(operand, p.TRegister):
        yield Touch("t", None, written)
    elif isinstance(operand, p.BaseAddress):
        yield Touch(f"base of {operand.bank}", None, written)
    elif isinstance(operand, p.MaskRegister):
        yield Touch("omr", frozenset({operand.entry}), written)
    elif isinstance(operand, p.Matrix):
        yield Touch(f"m{operand.register}", matrix_rows(instruction, written), written)
    elif isinstance(operand, p.Dar):
        yield Touch("dar fetched", None, written)
    elif isinstance(operand, p.L1bm):
        yield Touch("l1bm", _blocks("l1bm", block_spans(instruction.form, operand, written)), written)
    elif isinstance(operand, p.L2bm):
        yield Touch("l2bm", _l2bm(instruction, operand, written), written)


def _pe_memory(operand: p.PeMemory, written: bool, moved: bool) -> Iterator[Touch]:
    """The words of all PEs. moved: an unknown base address is added before the address is rounded down."""
    if operand.indirect:
        yield from (Touch("t", None, False), Touch(operand.bank, None, written))
    else:
        more, size = (operand.words - 1) * moved, isa.BANK_WORDS[operand.bank]
        spans = (span for cycle in pe_spans(operand) for span in cycle)
        words = (word % size for first, end in spans for word in range(first - more, end + more))
        yield Touch(operand.bank, frozenset(words), written)
    if operand.bank in ("lm0", "lm1"):
        yield Touch(f"base of {operand.bank}", None, False)


def matrix_rows(instruction: p.Instruction, written: bool) -> frozenset[int]:
    """The rows of a matrix register that an instruction writes, or reads: as many as its precision has."""
    if not written:
        return frozenset(range(isa.STEP_CYCLES * ELEMENTS[instruction.precision]))
    transfer = transfer_of(instruction)
    assert transfer is not None
    return frozenset(map(int, transfer.all_points[0][:, 0]))


def _blocks(memory: str, spans: Spans) -> frozenset[int]:
    size = BLOCK[memory]
    return frozenset(cell for cycle in spans for a, b in cycle for cell in range(a // size, (b - 1) // size + 1))


def _l2bm(instruction: p.Instruction, operand: p.L2bm, written: bool) -> frozenset[int]:
    if instruction.form.formula:
        return _blocks("l2bm", block_spans(instruction.form, operand, written))
    return _stretch("l2bm", operand.address, instruction.form.traffic()[0])


def _stretch(memory: str, address: int, count: int) -> frozenset[int]:
    size, block = _SIZES[memory], BLOCK[memory]
    cells = range(address // block, (address + count - 1) // block + 1)
    return frozenset(cell % (size // block) for cell in cells)


# --- MV lines --------------------------------------------------------------------------------------------------------


def _of_move(move: p.Move) -> Iterator[Touch]:
    transfer = move_transfer(move)
    if transfer is None or move.source is None or move.destination is None:
        return
    gather = gather_of(transfer)
    for side, operand, written in (
        (gather.source, move.source.operand, False),
        (gather.destination, move.destination.operand, True),
    ):
        memory = side.memory.lower()
        if isinstance(operand, p.DramIndirect):
            yield from (Touch("dar", None, False), Touch(memory, None, written))
        else:
            assert isinstance(operand, p.Dram | p.Pdm | p.L2bm)
            yield Touch(memory, _stretch(memory, operand.address, side.count), written)
