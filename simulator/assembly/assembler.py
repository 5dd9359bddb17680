"""Text to `Program`: lines, comments, `mask` statements, debug statements, MV lines and steps (isa.md, section 3)."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import Literal, NamedTuple, TypeVar, cast

from simulator import isa
from simulator.assembly.instructions import Defaults, Word, decode
from simulator.assembly.moves import decode_move
from simulator.assembly.operands import OperandError
from simulator.assembly.statements import parse_debug, parse_preset
from simulator.errors import AssemblyError, Diagnostic
from simulator.isa.program import Instruction, Line, Program, Step, WriteMask
from simulator.messages import tr
from simulator.rules.conflicts import conflicts
from simulator.rules.waits import WINDOW

MOST_CHARACTERS = 4000
"""Characters that a line of code may have; more is taken for a mistake."""
MOST_LINES, MOST_FINDINGS = 2_000_000, 1000
"""Lines that a text may have, which take seconds and a gigabyte; mistakes after which no more are looked for."""
LOST_STEPS = WINDOW
"""What stands for a line that is no step: so many nops that no wait is found across it."""

MOST_KNOWN = 1 << 14
"""Lines, and instructions, that are remembered under the same mask defaults."""

_NUMBER = re.compile(r'"[^"]*"|\d{20,}')
WORD = re.compile(r'(?:\[[^\]]*\]|"[^"]*"|[^\s;])+|;')
_PIECE = re.compile(r'(?:\[[^\]]*\]|"[^"]*"|[^;])+')
_MASK = re.compile(r"mask(l{0,2})([rstmnk]*)\s+(\S+)")
_MASKED = {"r": "grf0", "s": "grf1", "t": "t", "m": "lm0", "n": "lm1", "k": "omr"}


def parse_mask_statement(text: str) -> Defaults:
    """`mask[l|ll][r][s][t][m][n][k] <entry>`: the default for each listed memory (isa.md, section 10.1)."""
    match = _MASK.fullmatch(text)
    if not match:
        raise OperandError(
            tr("cannot read the mask statement `{text}`", text), tr("write `maskrt 1`, or `mask 0` to end it")
        )
    prefix, letters, entry_text = match.group(1, 2, 3)
    if not entry_text.isdecimal() or int(entry_text) >= isa.MASK_ENTRIES:
        raise OperandError(
            tr("`{entry_text}` is not an entry of the mask register", entry_text),
            tr("use 1 to 31, or 0 to end masking"),
        )
    entry = int(entry_text)
    if entry and not letters:
        raise OperandError(
            tr("the mask statement lists no memory"), tr("name some of r s t m n k, e.g. `maskrstmn {entry}`", entry)
        )
    words = cast(Literal[1, 2, 4], 1 << len(prefix))
    return {_MASKED[letter]: WriteMask(entry, words, explicit=False) for letter in letters} if entry else {}


_Found = TypeVar("_Found", Step, Instruction)


class Known(NamedTuple):
    """What was read under the same mask defaults, of any text: steps by the code of their lines, instructions by their
    text."""

    steps: dict[str, Step]
    instructions: dict[str, Instruction]


@lru_cache(maxsize=2)
def known_under(*defaults: tuple[str, WriteMask]) -> Known:
    """What was read under these mask defaults: to be filled in."""
    return Known({}, {})


def _note(known: dict[str, _Found], text: str, found: _Found) -> None:
    """Remember what was read; where too much is remembered, from here on."""
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[text] = found


class _Assembly:
    """The state while one text is read: where we are, the mask default, what was found."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.findings: list[Diagnostic] = []
        self.line = 0
        self.defaults: Defaults = {}
        self.known = known_under()

    def report(self, column: int, error: OperandError) -> None:
        self.note(column, error.message, error.fix)

    def note(self, column: int, message: str, fix: str = "") -> None:
        """A mistake, in words."""
        self.findings.append(Diagnostic(self.line, column, message, fix))

    def report_behind(self, start: int, offset: int, error: OperandError) -> None:
        """The same, so many characters behind a column."""
        self.report(start + offset, error)

    def read(self, raw: str) -> bool:
        """Take one source line; False where the program ends."""
        code, _, _ = raw.partition("#")
        known = self.known.steps.get(code)
        if known is not None:
            self.lines.append(Step(self.line, known.text, known.instructions, known.columns, known.count))
            return True
        text = code.strip()
        if not text:
            return True
        start = code.index(text[0]) + 1
        first = text.split(None, 1)[0]
        try:
            if first == "quit":
                return False
            if first == "d":
                self.lines.append(parse_debug(text, self.line))
            elif first == "r":
                self.lines.append(parse_preset(text, self.line))
            elif self.is_legible(code, start):
                if first.startswith("mask"):
                    self.defaults = parse_mask_statement(text)
                    self.known = known_under(*self.defaults.items())
                else:
                    self.read_code(code, text, start)
        except OperandError as error:
            self.report(start, error)
        return True

    def is_legible(self, code: str, start: int) -> bool:
        """True for a line of code that is worth taking apart; else what is odd about its characters is reported."""
        if len(code) > MOST_CHARACTERS:
            most = tr("the most is {most_characters}", MOST_CHARACTERS)
            self.note(start, tr("the line has {code} characters", len(code)), most)
            self.lose(code.strip())
            return False
        found = len(self.findings)
        for column, character in enumerate(code if "!" in code or not code.isascii() else "", 1):
            if character == "!":
                self.note(column, tr("`!` is not allowed in a program"), tr("remove it"))
            elif not character.isascii():
                self.note(column, tr("`{character}` is not ASCII", character), tr("write other characters in comments"))
        for number in _NUMBER.finditer(code):
            if not number[0].startswith('"'):
                self.note(number.start() + 1, tr("the number {number}… is too large", number[0][:20]))
        if len(self.findings) == found:
            return True
        self.lose(code.strip())
        return False

    def lose(self, text: str) -> None:
        """Let nops stand for a line that is no step, for the checks of the lines around it."""
        self.lines.append(Step(self.line, text, (), (), LOST_STEPS))

    def read_code(self, code: str, text: str, start: int) -> None:
        """An MV line or a step. start: the column of its first character."""
        if text.startswith("mv"):
            report = partial(self.report_behind, start)
            move = decode_move(_words(text), self.line, start, text, report)
            if move is not None:
                self.lines.append(move)
            return
        step = self.read_step(code, text)
        if step is None:
            self.lose(text)
        else:
            self.lines.append(step)
            _note(self.known.steps, code, step)

    def read_step(self, code: str, text: str) -> Step | None:
        """The instructions between the semicolons; None where one of them has a finding."""
        pieces = [(match.end() - len(match[0].lstrip()), match[0].strip()) for match in _PIECE.finditer(code)]
        pieces = [(start + 1, piece) for start, piece in pieces if piece]
        # Any mask written at a destination disables the `mask` default for the whole line (isa.md, section 10.1).
        explicit = bool(self.defaults) and any("/" in word for _, piece in pieces for word in piece.split()[1:])
        defaults, known = ({}, known_under()) if explicit else (self.defaults, self.known)
        decoded: list[Instruction] = []
        for start, piece in pieces:
            instruction = known.instructions.get(piece)
            if instruction is None:
                instruction = decode(_words(piece), piece, defaults, partial(self.report_behind, start))
                if instruction is None:
                    continue
                _note(known.instructions, piece, instruction)
            decoded.append(instruction)
        if len(decoded) < len(pieces) or not decoded:
            return None
        columns = tuple(start for start, _ in pieces)
        step = Step(self.line, text, tuple(decoded), columns, max(i.count for i in decoded))
        errors = [finding for finding in conflicts(step) if finding.severity == "error"]
        self.findings += errors
        return None if errors else step


def _words(text: str) -> list[Word]:
    """The words of an instruction."""
    return [Word(match.start(), match[0]) for match in WORD.finditer(text)]


def assemble(text: str, filename: str = "<text>") -> Program:
    """Assemble the text of a `.vsm` file.

    Raises AssemblyError with every finding: syntax, operands, alignment, ranges, and what cannot share a step
    (isa.md, sections 3 to 10, 12.1, 12.3). Waits between steps are found by `simulator.assembly.checks`.
    """
    program, findings = assemble_what_can_be(text, filename)
    if findings:
        raise AssemblyError(filename, findings)
    return program


def assemble_what_can_be(text: str, filename: str) -> tuple[Program, list[Diagnostic]]:
    """The program and every finding as in `assemble`; `LOST_STEPS` nops stand for each line that is no step."""
    assembly = _Assembly()
    lines = text.split("\n")
    for number, raw in enumerate(lines[:MOST_LINES], 1):
        assembly.line = number
        if not assembly.read(raw):
            break
        if len(assembly.findings) >= MOST_FINDINGS:
            assembly.note(
                1, tr("{most_findings} mistakes are enough: the rest of the text was not read", MOST_FINDINGS)
            )
            break
    else:
        if len(lines) > MOST_LINES:
            assembly.line += 1
            most = tr("split it: the most is {most_lines:,}", MOST_LINES)
            assembly.note(1, tr("the text has {lines:,} lines", len(lines)), most)
    return Program(filename, tuple(assembly.lines), text), assembly.findings
