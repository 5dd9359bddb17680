"""`check("5.12")`: run all cases of a task on the answer as it is on disk now, and say what is wrong with it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.diagnose import READS_TOO_EARLY, REFUSED, STRAY, WRONG_COPIES, Finding, diagnose
from grader.emission import AnswerError, Emission, Refused, emit, load, shown
from grader.kernel_cases import Case, kernel_cases
from grader.kernel_run import run_case
from grader.pictures import lm_layout, over_machine, picture, unit_of
from grader.reference import expected
from grader.result import Cost, Failure, Result
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow
from haribote.tasks import ROOT, Task, find_task, is_written, kernel_in, product_only
from simulator import AssemblyError, ExecutionError, assemble
from simulator.checks import check as find_hazards
from simulator.program import Program

Array = NDArray[Any]

OVER_PAR = 0.8  # share of the points for a right answer that costs more than par


def check(task: str, *, path: Path | None = None, seed: int | None = None) -> Result:
    """Check the answer to a task, by default the learner's file.

    path: another file with an answer. seed: of the random values; a fresh one by default. Raises UnknownTask.
    """
    with product_only():
        return _check(task, path, seed)


def _check(task: str, path: Path | None, seed: int | None) -> Result:
    found = find_task(task)
    path = path or ROOT / "haribote" / found.file
    seed = secrets.randbelow(10**6) if seed is None else seed
    start = time.monotonic()
    if not is_written(path):
        return _result(found, path, "not started", seed, start, message=f"write it in {shown(path)}")
    if not found.rows:
        return _check_exercise(found, path, seed, start)
    try:
        kernel = kernel_in(load(path, found.seconds), found.id)
    except NotWritten:
        return _result(found, path, "not started", seed, start, message=f"write it in {shown(path)}")
    except HariboteError as error:
        return _failed(found, path, seed, start, Failure("loading the file", "", str(error)))
    return check_kernel(found, kernel, path, seed, start)


def check_kernel(
    task: Task,
    kernel: Kernel,
    path: Path,
    seed: int,
    start: float | None = None,
    rows: Iterable[KernelRow] | None = None,
) -> Result:
    """Check a kernel on all cases of its task's rows of the kernel table, or of these only."""
    start = time.monotonic() if start is None else start
    passed = 0
    costs: list[Cost] = []
    for row in task.rows if rows is None else rows:
        for number, case in enumerate(kernel_cases(row, seed)):
            try:
                emission = emit(kernel, case.op, path, task.seconds)
                program, failure = _assemble(case, emission)
                failure = failure or judge_case(case, program, emission, others_passed=number > 0)
            except NotWritten as error:
                failure = Failure(case.name, "", str(error))
            except Refused as error:
                failure = Failure(case.name, REFUSED, f"{error}\n    but the contract promises this case")
            except AnswerError as error:
                failure = Failure(case.name, "", str(error))
            if failure:
                return _failed(task, path, seed, start, failure, passed, costs)
            if not case.moved and not any(cost.name == row.name for cost in costs):
                costs.append(Cost(row.name, program.steps + program.moves, row.par))
            passed += 1
    points = task.points if all(cost.score <= cost.par for cost in costs) else round(OVER_PAR * task.points)
    message = "" if points == task.points else f"right; at par it gives {task.points} points"
    return _result(task, path, "passed", seed, start, points=points, message=message, cases=passed, costs=tuple(costs))


def _check_exercise(task: Task, path: Path, seed: int, start: float) -> Result:
    from grader.exercise_check import check_exercise

    try:
        passed, failure = check_exercise(task, path, seed)
    except HariboteError as error:
        return _failed(task, path, seed, start, Failure("loading the file", "", str(error)))
    if failure:
        return _failed(task, path, seed, start, failure, passed)
    return _result(task, path, "passed", seed, start, points=task.points, cases=passed)


def _assemble(case: Case, emission: Emission) -> tuple[Program, Failure | None]:
    """The program, and the failure where the assembler or its hazard check has findings."""
    try:
        program = assemble(emission.text, filename="the kernel's text")
    except AssemblyError as error:
        first = error.diagnostics[0]
        message = f"the assembler says: {first.message}\n    the line: {_line(emission, first.line)}"
        message += f"\n    try: {first.fix}" if first.fix else ""
        return Program("", (), ""), Failure(case.name, "", message, emission.where(first.line))
    early = next((finding for finding in find_hazards(program) if finding.severity == "error"), None)
    if early is None:
        return program, None
    message = f"{early.message}\n    the line: {_line(emission, early.line)}"
    message += f"\n    try: {early.fix}" if early.fix else ""
    return program, Failure(case.name, READS_TOO_EARLY, message, emission.where(early.line))


def _line(emission: Emission, number: int) -> str:
    return emission.lines[number - 1] if 0 < number <= len(emission.lines) else ""


def judge_case(case: Case, program: Program, emission: Emission, others_passed: bool) -> Failure | None:
    """Run a program on a case; what is wrong with its result, or None."""
    try:
        run = run_case(case, program)
    except ExecutionError as error:
        message = f"the machine says: {error.message}\n    the line: {_line(emission, error.line)}"
        return Failure(case.name, "", message, emission.where(error.line))
    wanted, tolerance = expected(case.row, case.op, case.arrays)
    received = run.output
    if case.row.op in ("DL", "UL"):  # bits, not numbers
        wanted, received = wanted.view(np.uint32), np.ascontiguousarray(received).view(np.uint32)
        wrong = wanted != received
    else:
        with np.errstate(invalid="ignore"):
            wrong = ~((received == wanted) | (np.abs(received.astype(np.float64) - wanted) <= tolerance))
    if wrong.any():
        return _wrong(case, program, wanted, received, wrong, others_passed)
    if not run.copies:
        return Failure(case.name, WRONG_COPIES, "copy 0 is right, but not every unit that should hold a copy does")
    if run.stray:
        return Failure(case.name, STRAY, f"{run.stray} has changed, but belongs to no output and no scratch")
    return None


def _wrong(
    case: Case, program: Program, wanted: Array, received: Array, wrong: NDArray[np.bool_], others_passed: bool
) -> Failure:
    finding = Finding(case, program, wanted, received, wrong, others_passed)
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
        case.name, cause, f"{seen}\n{first}", "", {o.name: a for o, a in zip(case.op.inputs, case.arrays, strict=True)},
        wanted, received, error, machine, picture(case.op.output, wrong, machine),
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


def _failed(
    task: Task, path: Path, seed: int, start: float, failure: Failure, cases: int = 0, costs: Iterable[Cost] = ()
) -> Result:
    return _result(task, path, "failed", seed, start, failure=failure, cases=cases, costs=tuple(costs))


def _result(task: Task, path: Path, state: Any, seed: int, start: float, **rest: Any) -> Result:
    values = {"points": 0, "message": "", **rest}
    return Result(
        task.id,
        task.title,
        state,
        of=task.points,
        file=shown(path),
        seed=seed,
        seconds=time.monotonic() - start,
        **values,
    )
