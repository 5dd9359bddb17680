"""Which cells of which memories a node reads and writes: every word that it may touch, never fewer.

A cell is a block of neighbouring addresses. Units are not told apart (what is sent to one L1B counts as sent to all),
but for the two L2Bs of a group: an MV instruction fills one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from simulator import isa
from simulator.effects.accesses import MATRIX_WORDS, Access, accesses
from simulator.isa import program as p
from simulator.isa.units import PATHS
from simulator.schedule.nodes import Node

BLOCK = {"t": 16, "mx": MATRIX_WORDS, "my": MATRIX_WORDS, "l1bm": 4, "l2bm": 16, "pdm": 16, "dram": 16}
"""Addresses of a cell, where they are not cells themselves."""
_FORWARDED = {*PATHS, "turn"}


class Touch(NamedTuple):
    """cells: None = all of the memory. apart: the same, but with numbers of their own for the L2BMs of the two L2Bs of
    a group (`cell_and_l2b`)."""

    memory: str
    cells: frozenset[int] | None
    written: bool
    apart: frozenset[int] | None


def moved_banks(nodes: Iterable[Node]) -> frozenset[str]:
    """The banks of LM whose base address the program sets."""
    destinations = (d.operand for node in nodes if node.instruction is not None for d in node.instruction.destinations)
    return frozenset(operand.bank for operand in destinations if isinstance(operand, p.BaseAddress))


def touches(node: Node, moved: frozenset[str]) -> tuple[Touch, ...]:
    """All accesses of an instruction or MV line, but for forwarding paths and the turnaround register.

    moved: banks of LM whose base address may be anything; of others it is a multiple of 4, as at the start. A debug
    statement, which may touch everything, has no touches of its own.
    """
    line = node.instruction or node.line
    return _touches(line, moved) if isinstance(line, p.Instruction | p.Move) else ()


@lru_cache(maxsize=1 << 13)
def _touches(line: p.Instruction | p.Move, moved: frozenset[str]) -> tuple[Touch, ...]:
    found = [access for access in accesses(line) if access.memory not in _FORWARDED]
    cells = [_cells(access, access.memory in moved) for access in found]
    return tuple(
        Touch(access.memory, some, access.written, _apart(access, some))
        for access, some in zip(found, cells, strict=True)
    )


def _apart(access: Access, cells: frozenset[int] | None) -> frozenset[int] | None:
    """A step uses the L2BMs of all L2Bs."""
    if access.memory != "l2bm" or cells is None:
        return cells
    count = isa.L2BS_PER_GROUP
    l2bs = {unit % count for unit in access.units} or range(count)
    return frozenset(count * cell + l2b for cell in cells for l2b in l2bs)


def cell_and_l2b(number: int) -> tuple[int, int]:
    """The cell of an L2BM and the L2B of a group, 0 or 1, for which a number in `Touch.apart` stands."""
    return divmod(number, isa.L2BS_PER_GROUP)


def _cells(access: Access, moved: bool) -> frozenset[int] | None:
    """moved: an unknown base address is added before the address is rounded down."""
    if access.words is None:
        return None
    if moved and access.end is not None and isinstance(access.end.operand, p.PeMemory):
        more, size = access.end.operand.words - 1, isa.BANK_WORDS[access.memory]
        words = (w for cycle in access.words for a, b in cycle for w in range(a - more, b + more))
        return frozenset(word % size for word in words)
    return cells_of(access)


def cells_of(access: Access) -> frozenset[int]:
    """The cells of an access whose words are known."""
    assert access.words is not None
    block = BLOCK.get(access.memory, 1)
    return frozenset(c for cycle in access.words for a, b in cycle for c in range(a // block, (b - 1) // block + 1))
