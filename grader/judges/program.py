"""Assembly as an answer: read it, assemble it, and tell what the assembler or its hazard check has against it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from grader.emitter.kernels import MOST_CHARACTERS
from grader.emitter.values import Values
from grader.feedback.causes import READS_TOO_EARLY, STALE
from grader.feedback.failure import Failure
from grader.result import Cost
from haribote.errors import HariboteError
from haribote.kernel import MOST_LINES
from simulator import AssemblyError, ExecutionError, assemble
from simulator.assembly.checks import NOT_KNOWN, check
from simulator.errors import advised
from simulator.isa.program import DebugSet, DramPreset, Program
from simulator.messages import shown, tr

MOST_STEPS = 100_000  # of one answer; par of the longest kernel is below 300


def text_in(answer: Values) -> str:
    """The text of an answer. Raises HariboteError where it has none, or too much."""
    text = answer.get("text")
    if not isinstance(text, str):
        raise HariboteError(tr("the answer must be lines of assembly, received {name}", type(text).__name__))
    if len(text) > 2 * MOST_CHARACTERS or text.count("\n") > MOST_LINES:
        raise HariboteError(
            tr(
                "the answer has more than {most_lines} lines or {most_characters} characters",
                MOST_LINES,
                MOST_CHARACTERS,
            )
        )
    return text


@lru_cache(maxsize=4)
def assembled(text: str) -> Program:
    """The program. Raises AssemblyError."""
    return assemble(text, filename=tr("the answer's text"))


def cost_of(name: str, par: int, answer: Values) -> Cost:
    """What a right answer takes: its steps and MV."""
    program = assembled(text_in(answer))
    return Cost(name, program.steps + program.moves, par)


def failure_in(name: str, text: str) -> Failure | None:
    """What the assembler or its hazard check finds first, or None. name: of the case."""
    try:
        program = assembled(text)
    except AssemblyError as error:
        first = error.diagnostics[0]
        return failure_at(name, "", tr("the assembler says: {message}", first.message), text, first.line, first.fix)
    for line in program.lines:
        if isinstance(line, DebugSet | DramPreset):
            message = tr("an answer computes on the machine; it sets no memory from outside")
            return failure_at(name, "", message, text, line.line, tr("imm for constants, MV for data"))
    ends = next((n for n, line in enumerate(text.split("\n"), 1) if line.split()[:1] == ["quit"]), None)
    if ends is not None:
        message = tr("`quit` would end the program of which this is a part")
        return failure_at(name, "", message, text, ends, tr("remove the line"))
    if program.steps + program.moves > MOST_STEPS:
        what = tr("the answer takes {steps} steps; at most {most_steps} are run", program.steps, MOST_STEPS)
        return Failure(name, "", what)
    found = check(program)
    early = next((finding for finding in found if finding.severity == "error"), None)
    if early is None:  # on the chip the answer might be wrong, whatever the simulated machine gives
        path = next((finding for finding in found if shown(NOT_KNOWN) in finding.message), None)
        return failure_at(name, STALE, path.message, text, path.line, path.fix) if path else None
    return failure_at(name, READS_TOO_EARLY, early.message, text, early.line, early.fix)


def machine_failure(name: str, error: ExecutionError, text: str) -> Failure:
    """What the machine has against a line of the program."""
    failure = failure_at(name, "", tr("the machine says: {reason}", error.reason), text, error.line, "")
    return replace(failure, stopped=True)


def failure_at(name: str, cause: str, message: str, text: str, line: int, fix: str) -> Failure:
    """A failure that shows a line of the text and says what to try ("" for nothing)."""
    told = tr("{message}\n    the line: {text}", message, line_of(text, line))
    return Failure(name, cause, advised(told, fix), line=line)


def line_of(text: str, number: int) -> str:
    """A line of the text, counted from 1; "" where there is none."""
    lines = text.split("\n")
    return lines[number - 1] if 0 < number <= len(lines) else ""
