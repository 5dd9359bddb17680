"""Run a kernel's program on a case and say what is wrong with its result: where, how much, and the likely cause."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.feedback.blame import by_luck, told, unwritten_read, writer_of
from grader.feedback.causes import STALE, STRAY, WRONG_COPIES
from grader.feedback.dependence import Dependence, elements, inputs_behind
from grader.feedback.diagnose import Explained, Finding, diagnose, unwritten
from grader.feedback.failure import Failure, WrongWord
from grader.feedback.pictures import error_of, first_unit, lm_layout, over_machine, picture_of, unit_of, value_text
from grader.judges.program import machine_failure
from grader.rigs.kernel_cases import Case
from grader.rigs.kernel_run import KernelOutcome, Scratch, inputs_of, place_of, run_case
from grader.rigs.poisoned import POISON
from grader.rigs.rig import bits_of
from simulator import ExecutionError
from simulator.isa.program import Program
from simulator.messages import tr

MOST_INPUTS = 4  # that are told of the first wrong element, of each operand


Home = tuple[Case, Program]
"""A case at the problem set's addresses that passed, and its program."""


def judge_case(
    case: Case, name: str, program: Program, text: str, home: Home | None = None, scratch: tuple[Scratch, ...] = (),
    explained: bool = True,
) -> Failure | None:  # fmt: skip
    """What is wrong with a program's result, or None.

    home: of the same row. scratch: what `op.scratch` gave. explained: whether it is looked into why, which takes longer
    than to find that something is wrong; that a result is right by chance is told in any case.
    """
    for poison in case.poisons:
        failure = _judge(_Kernel(case, name, program, text, home, scratch, explained), poison)
        if failure is not None:
            return failure
    return None


def stray_case(case: Case, name: str, program: Program, text: str, scratch: tuple[Scratch, ...] = ()) -> Failure | None:
    """What a program writes into its operands in LM, if anything; nothing else is looked at."""
    try:
        run = run_case(case, program, POISON, scratch)
    except ExecutionError:
        return None
    asked = _Kernel(case, name, program, text, None, scratch)
    at, held = run.stray_at, [operand for operand in case.op.inputs if operand.memory != "DRAM"]
    if at is None or not any(o.memory.lower() == at.memory and 0 <= at.word - o.address < o.words for o in held):
        return None
    return _beside(asked, run, True, POISON)


@dataclass(frozen=True, eq=False)
class _Kernel:
    """What `judge_case` is asked about."""

    case: Case
    name: str
    program: Program
    text: str
    home: Home | None
    scratch: tuple[Scratch, ...]
    explained: bool = True


def _judge(asked: _Kernel, poison: int) -> Failure | None:
    case = asked.case
    try:
        run = run_case(case, asked.program, poison, asked.scratch)
    except ExecutionError as error:
        return machine_failure(asked.name, error, asked.text)
    wanted, _ = case.meaning
    received = run.output
    if case.row.op in ("DL", "UL"):  # bits, not numbers
        wanted, received = wanted.view(np.uint32), np.ascontiguousarray(received).view(np.uint32)
    wrong = case.wrong(run.output)
    copied = not any(case.wrong(other).any() for other in run.others)
    if not wrong.any() and copied and not run.stray:
        return None
    usual = None if poison == POISON else _judge(asked, POISON)
    if usual is not None:  # what is wrong whatever was there before is told as that
        return usual
    by_chance = poison != POISON and bool(wrong.any())
    if not asked.explained:
        return Failure(asked.name, STALE if by_chance else "", "")
    if not wrong.any():
        return _beside(asked, run, copied, poison)
    finding = Finding(case, asked.program, wanted, received, wrong, asked.home)
    return _wrong(asked, finding, (STALE, by_luck(wrong), None) if by_chance else None, poison)


def _beside(asked: _Kernel, run: KernelOutcome, copied: bool, poison: int) -> Failure:
    """The output is right in copy 0, but not its copies, or not what lies beside it."""
    case = asked.case
    if not copied:
        return Failure(asked.name, WRONG_COPIES, tr("copy 0 is right, but not every unit that should hold a copy does"))
    assert run.stray_at is not None
    blame = writer_of(asked.program, inputs_of(case), run.stray_at)
    what = tr("{stray} has changed, but belongs to no output", run.stray)
    if case.row.room is not None:
        what = tr("{stray} has changed, but belongs to no output and no scratch", run.stray)
    target = case.op.output
    if target.memory != "DRAM":
        what += "; " + tr(
            "the result belongs in {memory} from word {address} on, at `op.y`", target.memory, target.address
        )
    what += told(blame, asked.text)
    word = WrongWord(run.stray_at, run.stray, run.stray_bits, None, poison)
    return Failure(asked.name, STRAY, what, line=blame.line if blame else 0, word=word)


def _wrong(asked: _Kernel, finding: Finding, known: Explained | None, poison: int) -> Failure:
    """known: the cause, where it need not be found."""
    case, wanted, received, wrong = finding.case, finding.expected, finding.received, finding.wrong
    cause, seen, depends = known or diagnose(finding)
    blame = None
    beside = unwritten(finding.seen) if cause != STALE else None
    if cause == STALE or (beside and beside[0] == STALE and beside[1] in seen):
        blame = unwritten_read(finding.program, inputs_of(case), place_of(case.op.output), wrong)
        seen += told(blame, asked.text)
    error = error_of(wanted, received, wrong)
    machine = over_machine(case.op.output, error)
    index = tuple(int(value) for value in np.argwhere(wrong)[0])
    unit = unit_of(case.op.output, lm_layout(case.op.output, case.row.output), index)
    right, found = value_text(wanted[index]), value_text(received[index])
    first = tr("first at {index}: expected {wanted}, received {received} ({unit})", list(index), right, found, unit)
    first += _inputs_at(case, index)
    named = {operand.name: array for operand, array in zip(case.op.inputs, case.arrays, strict=True)}
    word = WrongWord(
        place_of(case.op.output).at(index), f"{case.op.output.name}{list(index)}", bits_of(received[index]),
        bits_of(wanted[index]), poison,
    )  # fmt: skip
    return Failure(
        asked.name, cause, f"{seen}\n{first}", "", named,
        wanted, received, error, machine, _drawn(picture_of(wrong, machine), depends),
        blame.line if blame else 0, first_unit(lambda some: over_machine(case.op.output, some), wrong), depends, word,
    )  # fmt: skip


def _drawn(wrong: str, depends: Dependence | None) -> str:
    return f"{wrong}\n{depends.picture}" if depends else wrong


def _inputs_at(case: Case, index: tuple[int, ...]) -> str:
    """The inputs of the first wrong element."""
    if case.row.op in ("DL", "UL"):
        return ""
    parts = []
    for operand, array, marks in zip(case.op.inputs, case.arrays, inputs_behind(case, index), strict=True):
        values = array[marks]
        shown = ", ".join(f"{value:.9g}" if len(values) == 1 else f"{value:.4g}" for value in values[:MOST_INPUTS])
        parts.append(f"{elements(operand.name, marks)} = {shown}{', …' if len(values) > MOST_INPUTS else ''}")
    return tr("\nits inputs: {parts}", "; ".join(parts))
