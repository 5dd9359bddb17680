"""Errors of the simulator: every one says what, where and what to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about the source text. line and column count from 1; fix is "" where none is known."""

    line: int
    column: int
    message: str
    fix: str = ""
    severity: Literal["error", "warning"] = "error"

    def render(self, filename: str) -> str:
        """`relu.vsm:3:7: error: message` and, indented below it, what to try."""
        head = f"{filename}:{self.line}:{self.column}: {self.severity}: {self.message}"
        return f"{head}\n    try: {self.fix}" if self.fix else head


class SimulatorError(Exception):
    """A mistake in what the user gave us; its text is the whole message, printed without a traceback."""


class AssemblyError(SimulatorError):
    """The source text is not a valid program. `diagnostics` has every finding of the file, in order."""

    def __init__(self, filename: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.filename = filename
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render(filename) for d in self.diagnostics))


class ExecutionError(SimulatorError):
    """The program is well formed but cannot be executed (address out of range, instruction not executed yet)."""

    def __init__(self, filename: str, line: int, message: str, fix: str = "") -> None:
        self.filename, self.line, self.message, self.fix = filename, line, message, fix
        tail = f"\n    try: {fix}" if fix else ""
        super().__init__(f"{filename}:{line}: {message}{tail}")
