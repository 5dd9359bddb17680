"""Run a kernel's program on a case and say what is wrong with its result: where, how much, and the likely cause."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.causes import STRAY, WRONG_COPIES
from grader.diagnose import Finding, diagnose
from grader.kernel_cases import Case
from grader.kernel_run import run_case
from grader.pictures import lm_layout, over_machine, picture, place_of, unit_of
from grader.program import machine_failure
from grader.reference import expected
from grader.result import Failure
from simulator import ExecutionError
from simulator.program import Program

Array = NDArray[Any]


def judge_case(case: Case, name: str, program: Program, text: str, others_passed: bool) -> Failure | None:
    """What is wrong with a program's result, or None. others_passed: an earlier case of the same row was right."""
    try:
        run = run_case(case, program)
    except ExecutionError as error:
        return machine_failure(name, error, text)
    wanted, tolerance = expected(case.row, case.op, case.arrays)
    received = run.output
    if case.row.op in ("DL", "UL"):  # bits, not numbers
        wanted, received = wanted.view(np.uint32), np.ascontiguousarray(received).view(np.uint32)
        wrong = wanted != received
    else:
        with np.errstate(invalid="ignore"):
            wrong = ~((received == wanted) | (np.abs(received.astype(np.float64) - wanted) <= tolerance))
    if wrong.any():
        return _wrong(name, Finding(case, program, wanted, received, wrong, others_passed))
    if not run.copies:
        return Failure(name, WRONG_COPIES, "copy 0 is right, but not every unit that should hold a copy does")
    if run.stray:
        return Failure(name, STRAY, f"{run.stray} has changed, but belongs to no output and no scratch")
    return None


def _wrong(name: str, finding: Finding) -> Failure:
    case, wanted, received, wrong = finding.case, finding.expected, finding.received, finding.wrong
    cause, seen = diagnose(finding)
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
        wanted, received, error, machine, picture(case.op.output, wrong, machine),
        place=place_of(lambda some: over_machine(case.op.output, some), wrong),
    )  # fmt: skip


def _shown(value: Any) -> str:
    return f"0x{int(value):08x}" if isinstance(value, np.uint32) else f"{float(value):.9g}"


def _inputs_at(case: Case, index: tuple[int, ...]) -> str:
    """The inputs of the first wrong element, where one can tell which they are."""
    if case.row.op in ("DL", "UL", "Gemm"):
        return ""
    parts = []
    for operand, array in zip(case.op.inputs, case.arrays, strict=True):
        at = index if array.ndim == len(index) else index[:1] if case.row.variant == "rows" else index[-1:]
        if array.ndim == 2 and len(index) == 1:
            values = array[:, index[0]] if case.row.variant == "columns" else array[index[0]]
            parts.append(f"{operand.name} = {', '.join(f'{value:.4g}' for value in values[:4])}, …")
        else:
            parts.append(f"{operand.name}{list(at)} = {float(array[at]):.9g}")
    return f"\nits inputs: {'; '.join(parts)}"
