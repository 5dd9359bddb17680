"""Room for the matrices of a product: blocks of X as pseudo-singles, and the unit matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from haribote.stack.code import GRF, LM, Code, Slot, long
from haribote.stack.products.room import BLOCK, GROUP, Banks

Matrix = tuple[str, str]
"""The operands of rows 0 to 3 and of rows 4 to 7 of an 8x8 matrix."""
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
            self.code.add(f"gmwrite {matrix[0]} ${found}0", f"gmwrite {matrix[1]} ${found}4")
        self._last = found
        return found

    def forget(self, form: Form) -> None:
        """The operands of a form hold another block now."""
        for name, held in self._holds.items():
            if held in form.values():
                self._holds[name] = None


def used_once(code: Code, banks: Banks, parts: tuple[str, ...]) -> list[Form]:
    """Two forms in turn, each used right after it is made.

    Rounded values are read beside the subtraction that reads them too, so they may lie with the vectors; what is left
    beside products that are no sums yet, so one half may lie with the sums. The other half comes a step later, when
    sums are written.
    """
    found: list[Form] = []
    for _ in range(2):
        near = code.take(BLOCK, (banks.vectors if banks.vectors in GRF else banks.matrices,))
        form = {"hi": rows(near)}
        if "lo" in parts:
            halves = code.take(GROUP, (banks.sums,)), code.take(GROUP, (banks.matrices,))
            form["lo"] = (long(halves[0], 0, "v"), long(halves[1], 0, "v"))
        found.append(form)
    return found


def kept(code: Code, banks: Banks, parts: tuple[str, ...], row_groups: int, blocks: int) -> list[Form]:
    """Forms for all rows, or where they do not fit for a row group, in a memory of their own."""
    rest = [bank for bank in (*LM, *GRF) if bank not in (banks.vectors, banks.sums)]
    where = sorted(rest, key=lambda bank: bank != banks.matrices)
    if code.largest(where[0]) < BLOCK * row_groups * blocks * len(parts):
        row_groups = 1
    return [{part: rows(code.take(BLOCK, where)) for part in parts} for _ in range(row_groups * blocks)]


def rows(slot: Slot) -> Matrix:
    """The matrix whose rows lie one after another in a slot."""
    return long(slot, 0, "v"), long(slot, GROUP, "v")
