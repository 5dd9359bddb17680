"""The two matrix registers: while one multiplies, the other is written."""

from __future__ import annotations

from dataclasses import dataclass, field

from haribote.stack.code import Code, Slot, long


@dataclass
class Registers:
    """What is in `$lx` and `$ly`, and which of them a product has used last."""

    code: Code
    _holds: dict[str, Slot | None] = field(default_factory=lambda: {"lx": None, "ly": None})
    _last: str = "ly"

    def load(self, matrix: Slot) -> str:
        """The register that holds the 8x8 matrix of a slot, for a product; written where none holds it."""
        found = next((name for name, slot in self._holds.items() if slot == matrix), None)
        if found is None:
            found = "lx" if self._last == "ly" else "ly"
            self._holds[found] = matrix
            self.code.add(f"gmwrite {long(matrix, 0, 'v')} ${found}0", f"gmwrite {long(matrix, 8, 'v')} ${found}4")
        self._last = found
        return found

    def forget(self, matrix: Slot) -> None:
        """The slot holds another matrix now."""
        for name, slot in self._holds.items():
            if slot == matrix:
                self._holds[name] = None
