"""Transfer instructions as maps on bits, read off the index formulas of the simulator's table.

`L1BM[b, B + 8*c + k] = L2BM[A + 64*c + 8*b + k] | k < 8` becomes: bits 0 to 2 of the L2BM's address are bits 0 to 2 of
the L1BM's, bits 3 to 5 are the L1B, bits 6 and 7 are bits 3 and 4. Nothing is described a second time: the formula is
evaluated with one bit of one letter set, and then at all points, to see whether that was all there is to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from haribote.errors import HariboteError
from haribote.stack.maps import Bit
from simulator import assemble
from simulator.isa.formulas import Index, Reference
from simulator.isa.program import Instruction, Move, Step
from simulator.isa.transfers import Transfer, move_transfer, transfer_of
from simulator.messages import tr

COORDINATES: dict[tuple[str, int], tuple[str, ...]] = {
    ("PE", 4): ("MAB", "PE", "cycle", "long"),
    ("PE", 3): ("PE", "cycle", "long"),
    ("matrix", 4): ("PE", "cycle", "long", "element"),
    ("M", 2): ("row", "column"),
    ("L1BM", 1): ("address",),
    ("L1BM", 2): ("L1B", "address"),
    ("L2BM", 1): ("address",),
    ("L2BM", 3): ("group", "L2B", "address"),
    ("PDM", 2): ("group", "address"),
    ("DRAM", 2): ("group", "address"),
}
"""What the coordinates of a formula's memories are. PE: of its four cycles two long words each; M: a matrix register;
matrix: the PEs beside one.
"""
CHOSEN = {"k": 16, "b": 8, "G": 4, "H": 4, "L": 2, "K": 2}
"""Letters that are constant in one instruction and that its text chooses: units after `@`."""


class NotABitMap(HariboteError):
    """An instruction moves words in a way that is no map on bits: it turns, adds up, or depends on a table."""


@dataclass(frozen=True)
class Lead:
    """One bit of a letter. source, target: the bits of the places that it sets; none on one side means that the words
    are combined (no target) or repeated (no source). chosen: one instruction has only one value of it.
    """

    letter: str
    source: tuple[Bit, ...]
    target: tuple[Bit, ...]
    chosen: bool = False


@dataclass(frozen=True)
class TransferMap:
    """What one instruction (or MV of least size) moves where, at addresses 0. reduction: as `fadd`, "" for a copy."""

    source: str
    target: str
    leads: tuple[Lead, ...]
    reduction: str = ""


@lru_cache(maxsize=1 << 8)
def map_of(line: str) -> TransferMap:
    """The map of a line with one instruction; a set of L1Bs after `@` counts as all of them. Raises NotABitMap."""
    (code,) = assemble(line).lines
    transfer: Transfer | None = None
    beside_matrix = False
    if isinstance(code, Move):
        transfer = move_transfer(code)
    elif isinstance(code, Step) and len(code.instructions) == 1:
        instruction: Instruction = code.instructions[0]
        transfer, beside_matrix = transfer_of(instruction), instruction.unit.startswith("mau")
    if transfer is None:
        raise NotABitMap(tr("`{line}` moves no words between places", line))
    return _map(line, transfer, beside_matrix)


def _map(line: str, transfer: Transfer, beside_matrix: bool) -> TransferMap:
    formula, constants = transfer.formula, {**transfer.constants, "A": 0, "B": 0}
    letters = list(dict.fromkeys((*formula.destination.names, *formula.source.names)))
    chosen = [letter for letter in letters if letter in CHOSEN and letter in constants]
    ranges = {
        letter: _range(letter, letter in chosen, transfer)
        for letter in letters
        if letter in chosen or letter not in constants
    }
    rest = {name: value for name, value in constants.items() if name not in chosen}
    target, source = formula.points(rest, ranges)
    shape = [len(values) for values in ranges.values()]
    grid = np.indices(shape).reshape(len(shape), -1)
    basis = [(row, bit) for row, size in enumerate(shape) for bit in range((size - 1).bit_length())]
    if len(source) != grid.shape[1]:
        raise NotABitMap(tr("`{line}` leaves out points of its formula {text}", line, transfer.text()))
    at = [int(np.ravel_multi_index([(1 << bit) * (k == row) for k in range(len(shape))], shape)) for row, bit in basis]
    for points in (source, target):
        _require_linear(line, transfer, points, grid, basis, at)
    names = list(ranges)
    leads = tuple(
        Lead(
            names[row],
            _bits(formula.source, source[k], beside_matrix),
            _bits(formula.destination, target[k], beside_matrix),
            names[row] in chosen,
        )
        for (row, _), k in zip(basis, at, strict=True)
    )
    return TransferMap(formula.source.memory, formula.destination.memory, leads, transfer.reduction)


def _range(letter: str, chosen: bool, transfer: Transfer) -> range:
    """The values of a letter."""
    if not chosen:
        return range(transfer.formula.limit(letter, transfer.constants))
    return range(4 if letter == "k" and "q" in transfer.formula.limits else CHOSEN[letter])


def _require_linear(
    line: str, transfer: Transfer, points: Index, grid: Index, basis: list[tuple[int, int]], at: list[int]
) -> None:
    """Every point must be the exclusive or of the points of its bits."""
    expected = np.zeros_like(points)
    for (row, bit), k in zip(basis, at, strict=True):
        expected ^= (grid[row] >> bit & 1)[:, None] * points[k]
    if not np.array_equal(expected, points):
        raise NotABitMap(tr("`{line}` is no map on bits: {text}", line, transfer.text()))


def _bits(side: Reference, point: Index, beside_matrix: bool) -> tuple[Bit, ...]:
    """The bits of a place that are set at a point."""
    memory = "matrix" if beside_matrix and side.memory == "PE" else side.memory
    levels = COORDINATES[memory, len(side.coordinates)]
    pairs = zip(levels, map(int, point), strict=True)
    return tuple(
        Bit(level, number) for level, value in pairs for number in range(value.bit_length()) if value >> number & 1
    )
