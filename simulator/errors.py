"""Errors that a user can act on: every one says what, where and what to try."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from simulator.language import REFUSALS
from simulator.messages import Text, shown, tr


def advised(message: str, try_: str) -> str:
    """A message and, indented below it, what to try; the message alone where nothing is known to try ("")."""
    return shown(message) + _advice(try_) if try_ else shown(message)


def unadvised(text: str) -> str:
    """The message alone, of what `advised` has made in the language of the moment."""
    return text.partition(_advice(""))[0]


def _advice(try_: str) -> str:
    return f"\n    {tr('try: {advice}', shown(try_))}"


def reason_of(error: OSError) -> str:
    """What the system says about a file."""
    return Text(error.strerror or str(error)).said()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about the source text. line and column count from 1; fix is "" where none is known."""

    line: int
    column: int
    message: str
    fix: str = ""
    severity: Literal["error", "warning"] = "error"

    @property
    def label(self) -> Text:
        """The severity, as it is shown."""
        return Text("error") if self.severity == "error" else Text("warning")

    def render(self, filename: str) -> str:
        """`relu.vsm:3:7: error: message` and, indented below it, what to try."""
        return advised(self.told(f"{filename}:{self.line}:{self.column}"), self.fix)

    def told(self, place: str) -> str:
        """The finding in a line. place: how its line and its column are called there."""
        return tr("{place}: {severity}: {message}", place, self.label, self.message)


class UserError(Exception):
    """A mistake in what the user gave us; its text is the whole message, printed without a traceback (exit status 2).

    Args:
        message: the constraint, what was received, and where.
        try_: what to try, if known; it is put on a line of its own.
    """

    in_notebooks: ClassVar[Callable[[BaseException], list[str]]]
    """What a notebook shows of one; the package sets it, since it knows the language that these classes know not of."""

    def __init__(self, message: str, try_: str = "") -> None:
        self.message, self.try_ = message, try_
        super().__init__(advised(message, try_))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback."""
        return UserError.in_notebooks(self)


class LanguageError(UserError):
    """`HARIBOTE_LANG` names a language that there is not."""


REFUSALS.append(LanguageError)


class SimulatorError(UserError):
    """A mistake in a program, a file or a value given to the simulator."""


class AssemblyError(SimulatorError):
    """The source text is not a valid program. `diagnostics` has every finding of the file, in order."""

    def __init__(self, filename: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.filename = filename
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(d.render(filename) for d in self.diagnostics))


class ExecutionError(SimulatorError):
    """The program is well formed but cannot be executed (address out of range, instruction not executed yet).

    `reason` is the message without the place.
    """

    def __init__(self, filename: str, line: int, reason: str, try_: str = "") -> None:
        self.filename, self.line, self.reason = filename, line, reason
        super().__init__(f"{filename}:{line}: {reason}", try_)
