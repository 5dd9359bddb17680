"""The judge: does an answer solve a test case, and what does it score (isa.md, section 3.2).

A test case is a prefix that sets memories, a marker line, and a suffix of `d get` statements whose comments say what is
expected: `# expect=[0.5, 2.0] / Float @[0,0],[0,1] atol=1e-05`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isinf, isnan, nan

import numpy as np

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check_text
from simulator.engine.machine import Machine
from simulator.engine.numbers import DOUBLE, HALF, SINGLE, Format, to_float64
from simulator.engine.state.dump import NAMES, Printed
from simulator.errors import AssemblyError, Diagnostic, SimulatorError
from simulator.isa.program import Move, Program, Step
from simulator.messages import Text, tr

MARKER = "# ======= YOUR VSM WILL BE INSERTED HERE ======="
TESTCASE = Text("a test case of the judge; the answer, a program alone, comes after it")
FLOATS = {"Double": DOUBLE, "Float": SINGLE, "Half": HALF}
INTEGERS = {"Long": 64, "Int": 32, "Short": 16, "ULong": 64, "UInt": 32, "UShort": 16}

_EXPECT = re.compile(r"#\s*expect=\[(?P<values>[^\]]*)\]\s*/\s*(?P<type>\w+)\s*@(?P<rest>.*)")
_INDEX = re.compile(r"\[[\d,\s]*\]")
_TOLERANCE = re.compile(r"\b(atol|rtol)=(\S+)")

Number = float | int


@dataclass(frozen=True)
class Expectation:
    """What one `d get` statement of the suffix should print: values, their type, and their places in the tensor."""

    line: int
    values: tuple[Number, ...]
    type: str
    indices: tuple[str, ...]


@dataclass(frozen=True)
class Testcase:
    """A test case taken apart. The tolerances are those of the first expectation and hold for the whole file."""

    prefix: Program
    suffix: Program
    expectations: tuple[Expectation, ...]
    atol: float
    rtol: float


@dataclass(frozen=True)
class Verdict:
    """The judge's finding. score = steps + moves; size: of the answer's text in bytes; message: the line to print."""

    accepted: bool
    steps: int
    moves: int
    size: int
    message: str

    @property
    def score(self) -> int:
        """PE steps and MV instructions together; less is better."""
        return self.steps + self.moves


def judge(testcase: str, answer: str, testcase_name: str = "<testcase>", answer_name: str = "<answer>") -> Verdict:
    """Run an answer between prefix and suffix of a test case and compare what the suffix prints.

    Raises SimulatorError for what is no test case, AssemblyError for an answer that the assembler rejects (waits
    included), ExecutionError for one that cannot be executed.
    """
    case = read_testcase(testcase, testcase_name)
    program = assemble_answer(answer, answer_name)
    machine = Machine()
    for part in (case.prefix, program):
        machine.run(part)
    entries = machine.run(case.suffix).entries
    wrong, count = _compare(case, entries, testcase_name)
    size = len(answer.encode())
    tail = f"score={program.steps + program.moves} steps={program.steps} mv={program.moves} bytes={size}"
    if not wrong:
        return Verdict(True, program.steps, program.moves, size, f"ACCEPTED {tail}")
    message = tr("WRONG ANSWER {wrong}; {wrong2} of {count} values wrong", wrong[0], len(wrong), count)
    return Verdict(False, program.steps, program.moves, size, message)


# --- reading ---------------------------------------------------------------------------------------------------------


def assemble_answer(text: str, filename: str) -> Program:
    """Assemble an answer as the judge does: without `!` and its `d get` and `d set` lines. Waits are checked.

    Raises AssemblyError with all findings; their columns count in the text with `!`.
    """
    given = text.split("\n")
    lines = ["" if re.match(r"\s*d\s", line) else line for line in text.replace("!", "").split("\n")]
    presets = [number for number, line in enumerate(lines, start=1) if re.match(r"\s*r\s", line)]
    findings = [Diagnostic(n, 1, tr("an answer cannot preset DRAM with `r`"), tr("remove the line")) for n in presets]
    cleaned = "\n".join("" if number in presets else line for number, line in enumerate(lines, start=1))
    program, found = check_text(cleaned, filename)
    findings += [replace(f, column=_column(given[f.line - 1], f.column)) for f in found if f.severity == "error"]
    if findings:
        raise AssemblyError(filename, sorted(findings, key=lambda finding: finding.line))
    return Program(filename, tuple(x for x in program.lines if isinstance(x, Step | Move)), program.source)


def _column(line: str, column: int) -> int:
    """Where the `column`-th character that is no `!` stands in a line."""
    kept = [number for number, character in enumerate(line, start=1) if character != "!"]
    return kept[column - 1] if column <= len(kept) else column


def read_testcase(text: str, filename: str) -> Testcase:
    """Take a test case apart. Raises SimulatorError where marker or expectations are missing or cannot be read."""
    lines = text.splitlines()
    marker = next((number for number, line in enumerate(lines, start=1) if line.strip() == MARKER), None)
    if marker is None:
        raise SimulatorError(
            tr("{filename}: not a test case: the line `{marker}` is missing", filename, MARKER), TESTCASE
        )
    program = assemble(text, filename)
    expectations: list[Expectation] = []
    tolerances = {"atol": 0.0, "rtol": 0.0}
    for number, line in enumerate(lines[marker:], start=marker + 1):
        match = _EXPECT.search(line)
        if match is None:
            continue
        if not expectations:
            tolerances |= {name: _number(value, filename, number) for name, value in _TOLERANCE.findall(match["rest"])}
        expectations.append(_expectation(match, filename, number))
    if not expectations:
        raise SimulatorError(
            tr("{filename}: not a test case: no `d get` line after the marker has `# expect=[…]`", filename), TESTCASE
        )
    parts = [tuple(x for x in program.lines if (x.line > marker) == after) for after in (False, True)]
    prefix, suffix = (Program(filename, part, text) for part in parts)
    return Testcase(prefix, suffix, tuple(expectations), tolerances["atol"], tolerances["rtol"])


def _expectation(match: re.Match[str], filename: str, line: int) -> Expectation:
    kind = match["type"]
    if kind not in FLOATS and kind not in INTEGERS:
        known = ", ".join([*FLOATS, *INTEGERS])
        raise _refused(filename, line, tr("unknown type `{kind}` of expected values", kind), known)
    values = [value for value in match["values"].split(",") if value.strip()]
    numbers = tuple(_number(v, filename, line) if kind in FLOATS else _integer(v, kind, filename, line) for v in values)
    return Expectation(line, numbers, kind, tuple(_INDEX.findall(match["rest"])))


def _number(text: str, filename: str, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if isnan(number):  # the machine has none
        raise _refused(filename, line, tr("`{text}` is not a number", _short(text)))
    return number


def _integer(text: str, kind: str, filename: str, line: int) -> int:
    """An expected integer; it may be written as any number with the same bits, signed or not, whatever its type."""
    width = INTEGERS[kind]
    try:
        number = int(text)
    except ValueError:
        raise _refused(filename, line, tr("`{text}` is not an integer", _short(text))) from None
    if not -(1 << (width - 1)) <= number < 1 << width:
        what = tr("`{text}` does not fit into the {width} bits of type {kind}", _short(text), width, kind)
        raise _refused(filename, line, what)
    bits = number & ((1 << width) - 1)
    return bits if kind.startswith("U") else _signed(bits, width)


def _refused(filename: str, line: int, what: str, try_: str = "") -> SimulatorError:
    """A line of a test case that cannot be used."""
    return SimulatorError(f"{filename}:{line}: {what}", try_)


def _signed(bits: int, width: int) -> int:
    return bits - (bits >> (width - 1) << width)


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else f"{text[:40]}…"


# --- comparing -------------------------------------------------------------------------------------------------------


def _compare(case: Testcase, entries: Sequence[Printed], filename: str) -> tuple[list[str], int]:
    """What is wrong, in order, and the number of values compared."""
    by_line: dict[int, list[Printed]] = {}
    for entry in entries:
        by_line.setdefault(entry.line, []).append(entry)
    wrong, count = [], 0
    for expectation in case.expectations:
        shown, kind = by_line.get(expectation.line, []), expectation.type
        found = [(entry, place, value) for entry in shown for place, value in enumerate(_decode(entry.value, kind))]
        if len(found) != len(expectation.values):
            printed, values = len(found), len(expectation.values)
            what = tr(
                "the statement prints {printed} values of type {kind}, but {values} are expected", printed, kind, values
            )
            raise _refused(filename, expectation.line, what)
        count += len(found)
        for number, ((entry, place, value), wanted) in enumerate(zip(found, expectation.values, strict=True)):
            if not _agree(value, _as_stored(wanted, kind), case.atol, case.rtol):
                index = expectation.indices[number] if number < len(expectation.indices) else f"value {number}"
                where = _where(entry, place)
                wrong.append(
                    tr("at {index}: expected {wanted!r}, found {value!r} ({where})", index, wanted, value, where)
                )
    return wrong, count


def _where(entry: Printed, place: int) -> str:
    """Where an element of a printed long word is."""
    memory = NAMES[entry.memory]
    return tr("{names} {unit} address {address}, element {place}", memory, entry.unit, entry.address, place)


def _decode(value: int, kind: str) -> list[Number]:
    """The elements of a long word, the most significant first."""
    width = FLOATS[kind].width if kind in FLOATS else INTEGERS[kind]
    parts = [value >> shift & ((1 << width) - 1) for shift in range(64 - width, -1, -width)]
    if kind in FLOATS:
        fmt = FLOATS[kind]
        return [float(number) for number in to_float64(np.array(parts, fmt.dtype), fmt)]
    if kind.startswith("U"):
        return list(parts)
    return [_signed(part, width) for part in parts]


def _as_stored(wanted: Number, kind: str) -> Number:
    """An expected number too small or too large for its type becomes what the machine has for it: 0 or infinity."""
    fmt = FLOATS.get(kind)
    if fmt is None or wanted == 0 or isinf(wanted):
        return wanted
    if abs(wanted) < 2.0 ** (1 - fmt.bias):
        return 0.0
    return wanted if abs(wanted) < _limit(fmt) else float("inf") if wanted > 0 else float("-inf")


def _limit(fmt: Format) -> float:
    """The smallest power of two beyond a format's range; for doubles nothing finite is."""
    exponent = fmt.exponent_ones - fmt.bias
    return float("inf") if fmt is DOUBLE else 2.0**exponent


def _agree(value: Number, wanted: Number, atol: float, rtol: float) -> bool:
    """A value fails when it misses both tolerances; equal infinities agree, others never."""
    if value == wanted:
        return True
    if isinf(value) or isinf(wanted):
        return False
    difference = abs(value - wanted)
    return difference <= atol or difference <= rtol * abs(wanted)
