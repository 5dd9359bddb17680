"""Run a kernel's program on a case and say what is wrong with its result: where, how much, and the likely cause."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.causes import STRAY, WRONG_COPIES
from grader.dependence import Dependence, elements, inputs_of
from grader.diagnose import Finding, diagnose, wrong_elements
from grader.kernel_cases import Case
from grader.kernel_run import run_case
from grader.pictures import lm_layout, over_machine, picture, place_of, unit_of
from grader.program import machine_failure
from grader.reference import expected
from grader.result import Failure
from simulator import ExecutionError
from simulator.program import Program

Array = NDArray[Any]

MOST_INPUTS = 4  # that are told of the first wrong element, of each operand


Home = tuple[Case, Program]
"""A case at the problem set's addresses that passed, and its program."""


def judge_case(
    case: Case, name: str, program: Program, text: str, home: Home | None = None, probing: bool = True
) -> Failure | None:
    """What is wrong with a program's result, or None. home: of the same row. probing: as in `diagnose`."""
    try:
        run = run_case(case, program)
    except ExecutionError as error:
        return machine_failure(name, error, text)
    wanted, _ = expected(case.row, case.op, case.arrays)
    received = run.output
    if case.row.op in ("DL", "UL"):  # bits, not numbers
        wanted, received = wanted.view(np.uint32), np.ascontiguousarray(received).view(np.uint32)
    wrong = wrong_elements(case, case.arrays, run.output)
    if wrong.any():
        return _wrong(name, Finding(case, program, wanted, received, wrong, home), probing)
    if not run.copies:
        return Failure(name, WRONG_COPIES, "copy 0 is right, but not every unit that should hold a copy does")
    if run.stray:
        return Failure(name, STRAY, f"{run.stray} has changed, but belongs to no output and no scratch")
    return None


def _wrong(name: str, finding: Finding, probing: bool) -> Failure:
    case, wanted, received, wrong = finding.case, finding.expected, finding.received, finding.wrong
    cause, seen, depends = diagnose(finding, probing)
    with np.errstate(invalid="ignore"):
        error = np.abs(received.astype(np.float64) - wanted.astype(np.float64))
    error = np.where(wrong, np.where(np.isnan(error), np.inf, np.maximum(error, np.finfo(float).tiny)), 0.0)
    machine = over_machine(case.op.output, error)
    index = tuple(int(value) for value in np.argwhere(wrong)[0])
    unit = unit_of(case.op.output, lm_layout(case.op.output, case.row.output), index)
    first = f"first at {list(index)}: expected {_shown(wanted[index])}, received {_shown(received[index])} ({unit})"
    first += _inputs_at(case, index)
    return Failure(
        name, cause, f"{seen}\n{first}", "", {o.name: a for o, a in zip(case.op.inputs, case.arrays, strict=True)},
        wanted, received, error, machine, _drawn(picture(case.op.output, wrong, machine), depends),
        place=place_of(lambda some: over_machine(case.op.output, some), wrong), depends=depends,
    )  # fmt: skip


def _shown(value: Any) -> str:
    return f"0x{int(value):08x}" if isinstance(value, np.uint32) else f"{float(value):.9g}"


def _drawn(wrong: str, depends: Dependence | None) -> str:
    return f"{wrong}\n{depends.picture}" if depends else wrong


def _inputs_at(case: Case, index: tuple[int, ...]) -> str:
    """The inputs of the first wrong element."""
    if case.row.op in ("DL", "UL"):
        return ""
    parts = []
    for operand, array, marks in zip(case.op.inputs, case.arrays, inputs_of(case, index), strict=True):
        values = array[marks]
        shown = ", ".join(f"{value:.9g}" if len(values) == 1 else f"{value:.4g}" for value in values[:MOST_INPUTS])
        parts.append(f"{elements(operand.name, marks)} = {shown}{', …' if len(values) > MOST_INPUTS else ''}")
    return f"\nits inputs: {'; '.join(parts)}"
