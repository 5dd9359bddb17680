"""Room for the matrices of a product: blocks of X as pseudo-singles, and the unit matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from haribote.stack.code import GRF, LM, Code, Slot, long
from haribote.stack.products.core import Kind
from haribote.stack.products.room import BLOCK, GROUP, MANY, Banks, have_room


class Matrix(NamedTuple):
    """The operands of a matrix, four rows each; as halves they are read eight at a time."""

    written: tuple[str, ...]
    read: tuple[str, ...]


Form = Mapping[str, Matrix]
"""The matrices of a block: `hi`, and `lo` where it is exact."""


@dataclass
class Registers:
    """What is in `$lx` and `$ly`: while one multiplies, the other is written."""

    code: Code
    _holds: dict[str, Matrix | None] = field(default_factory=lambda: {"lx": None, "ly": None})
    _last: str = "ly"

    def load(self, matrix: Matrix) -> str:
        """The register that holds a matrix, for a product; where none does, the one not used last is written."""
        found = next((name for name, held in self._holds.items() if held == matrix), None)
        if found is None:
            found = "lx" if self._last == "ly" else "ly"
            self._holds[found] = matrix
            half = matrix.read[0].startswith("$ll")
            name, rows, wide = ("hmwrite", 8, "l") if half else ("gmwrite", 4, "")
            self.code.add(*(f"{name} {part} ${wide}{found}{rows * i}" for i, part in enumerate(matrix.read)))
        self._last = found
        return found

    def forget(self, form: Form) -> None:
        """The operands of a form hold another block now."""
        for name, held in self._holds.items():
            if held in form.values():
                self._holds[name] = None


TOGETHER = 2
"""Blocks that are rounded together where each is used once: the unit matrix is written once for them."""
FEW = range(2, MANY)
"""Groups of vectors with which a block is so soon through that writing the next matrices counts."""


def used_once(
    code: Code, banks: Banks, parts: tuple[str, ...], kind: Kind, row_groups: int, groups: int, spare: int
) -> list[Form]:
    """Two forms in turn, each used right after it is made; or twice as many for TOGETHER blocks at a time, with few
    groups of vectors and as many words left in each memory as are to spare.

    Rounded values are read beside the subtraction that reads them too, so they may lie with the vectors; what is left
    beside products that are no sums yet, so one half may lie with the sums. The other half comes a step later, when
    sums are written.
    """
    if "lo" not in parts:
        return [{"hi": rows(code.take(2 * kind.rows, (banks.sums,)))} for _ in range(2)]
    found: list[Form] = []
    rounded = banks.vectors if banks.vectors in GRF else banks.matrices
    needed = Counter[str]()
    for bank, words in ((rounded, BLOCK), (banks.sums, GROUP), (banks.matrices, GROUP)):
        needed[bank] += words
    room = all(code.largest(bank) >= 2 * TOGETHER * words + spare for bank, words in needed.items())
    for _ in range(2 * TOGETHER if room and groups in FEW and row_groups >= TOGETHER else 2):
        hi = code.take(2 * kind.rows, (rounded,))
        halves = [long(code.take(GROUP, (bank,)), 0, "v") for bank in (banks.sums, banks.matrices)]
        found.append({"hi": rows(hi), "lo": Matrix(tuple(halves), tuple(halves))})
    return found


def kept(code: Code, banks: Banks, parts: tuple[str, ...], row_groups: int, blocks: int, kind: Kind) -> list[Form]:
    """Forms for all rows, or where they do not fit for a row group, in a memory of their own."""
    rest = [bank for bank in (*LM, *GRF) if bank not in (banks.vectors, banks.sums)]
    where = sorted(rest, key=lambda bank: bank != banks.matrices)
    if not have_room(code, where[0], kind, len(parts), row_groups * blocks):
        row_groups = 1
    return [{part: rows(code.take(2 * kind.rows, where)) for part in parts} for _ in range(row_groups * blocks)]


LEAST = 4
"""Forms in turn at least: with fewer, blocks wait for those before them."""


def in_turn(code: Code, banks: Banks, parts: tuple[str, ...], blocks: int, kind: Kind) -> list[Form]:
    """Forms in GRF for some blocks of which each is used once, where there is no room for all; none where there is, or
    where hardly any fit. What overflowed into the LM of the operand would be written and read in turn there.
    """
    count = code.largest(banks.matrices) // (2 * kind.rows * len(parts))
    if banks.matrices not in GRF or not LEAST <= count < blocks:
        return []
    return [{part: rows(code.take(2 * kind.rows, (banks.matrices,))) for part in parts} for _ in range(count)]


def rows(slot: Slot) -> Matrix:
    """The matrix whose rows lie one after another in a slot."""
    written = tuple(long(slot, at, "v") for at in range(0, slot.words, GROUP))
    half = slot.words > BLOCK
    return Matrix(written, tuple("$l" + part[1:] for part in written[::2]) if half else written)
