"""The course checks itself: stubs are unsolved, solutions pass, wrong answers and mutants of solutions do not.

A wrong answer is a reference kernel with one mistake of a kind that learners make, applied to the text it emits. A
mutant is smaller: a dropped line, another address, another mask. What is not rejected is named in the report.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.checking import check, check_kernel
from grader.emitter.loading import load
from grader.mutants import mutants_of, wrong_answers
from grader.stubs import stub_of
from grader.trials import wrong_of
from haribote.files import write_file
from haribote.tasks import ROOT, Task, all_tasks, is_written, kernel_in, product_only

SEED = 7
HINTS = 3


@dataclass
class Report:
    """What the self-test found. faults: of the course itself. survivors: mutants that no case rejects."""

    stubs: int = 0
    solutions: int = 0
    wrong_answers: int = 0
    killed: int = 0
    survivors: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def mutants(self) -> int:
        """How many mutants were tried."""
        return self.killed + len(self.survivors)

    @property
    def kill_rate(self) -> float:
        """Share of the mutants that were rejected."""
        return self.killed / self.mutants if self.mutants else 1.0

    @property
    def passed(self) -> bool:
        """True where the course has no fault."""
        return not self.faults

    def __str__(self) -> str:
        lines = [f"fault: {fault}" for fault in self.faults]
        lines += [f"not rejected: {survivor}" for survivor in self.survivors]
        lines.append(
            f"{self.stubs} stubs unsolved, {self.solutions} solutions with full marks, "
            f"{self.wrong_answers} wrong answers rejected, {self.killed} of {self.mutants} mutants rejected "
            f"({self.kill_rate:.1%}), {self.seconds:.0f} s"
        )
        return "\n".join([*lines, "the course is sound" if self.passed else f"{len(self.faults)} faults"])


def selftest(tasks: Iterable[Task], mutants: int = 8, say: Callable[[str], object] | None = None) -> Report:
    """Check the course. mutants: at most so many of each kind per row of the kernel table."""
    report, start = Report(), time.monotonic()
    for task in tasks:
        with product_only():
            _task(task, report, mutants)
        if say:
            say(f"task {task.id} ({task.title}): {report.killed} of {report.mutants} mutants rejected so far")
    report.seconds = time.monotonic() - start
    return report


def _task(task: Task, report: Report, mutants: int) -> None:
    _entry(task, report)
    _stub(task, report)
    _solution(task, report)
    if task.rows:
        _wrong_kernels(task, report, mutants)
    else:
        _wrong_exercises(task, report)


def _entry(task: Task, report: Report) -> None:
    """Hints, par, limits, and no need of a later task."""
    earlier = [other.id for other in all_tasks()[: all_tasks().index(task)]]
    for holds, fault in (
        (len(task.hints) == HINTS and all(task.hints), f"has {len(task.hints)} hints, not {HINTS}"),
        (len(set(task.hints)) == len(task.hints), "has the same hint twice"),
        (task.par > 0 and task.seconds > 0 and task.minutes > 0 and task.points > 0, "lacks par, limit or points"),
        (not task.rows or task.par == sum(row.par for row in task.rows), "has another par than the kernel table"),
        (set(task.needs) <= set(earlier), f"needs a later task ({', '.join(task.needs)})"),
    ):
        if not holds:
            report.faults.append(f"task {task.id}: {fault}")


def _stub(task: Task, report: Report) -> None:
    """The stub is unwritten, and says so when it is run all the same."""
    path = ROOT / "runs" / "selftest" / Path(task.file).name
    write_file(path, stub_of(task, _solution_path(task).read_text(encoding="utf-8")).encode())
    wanted = f"task {task.id} ({task.title}) is not written yet; check it with `grader check {task.id}`"
    result = check(task.id, path=path, seed=SEED)
    text = path.read_text(encoding="utf-8")
    path.unlink()
    if result.state != "not started" or result.points or is_written(path) or wanted not in text:
        report.faults.append(f"task {task.id}: its stub is {result.state}, or has the wrong message")
    report.stubs += 1


def _solution(task: Task, report: Report) -> None:
    result = check(task.id, path=_solution_path(task), seed=SEED)
    if not result.passed or result.points != task.points:
        report.faults.append(f"task {task.id}: its solution does not get full marks\n{result}")
    elif result.seconds > task.seconds:
        report.faults.append(f"task {task.id}: its solution takes {result.seconds:.1f} s of {task.seconds} s")
    report.solutions += 1


def _solution_path(task: Task) -> Path:
    return ROOT / "solutions" / task.file


def _wrong_exercises(task: Task, report: Report) -> None:
    source = _solution_path(task).read_text(encoding="utf-8")
    path = ROOT / "runs" / "selftest" / Path(task.file).name
    for old, new in wrong_of(task):
        write_file(path, source.replace(old, new).encode())
        if old not in source or check(task.id, path=path, seed=SEED).passed:
            report.faults.append(f"task {task.id}: the wrong answer with `{new}` passes")
        path.unlink()
        report.wrong_answers += 1
    if len(wrong_of(task)) < 2:
        report.faults.append(f"task {task.id}: has fewer than two wrong answers")


def _wrong_kernels(task: Task, report: Report, mutants: int) -> None:
    path = _solution_path(task)
    kernel = kernel_in(load(path, task.seconds), task.id)
    for wrong in wrong_answers(kernel, task.rows[0]):
        result = check_kernel(task, wrong.kernel, path, SEED, task.rows[:1])
        found = result.failure.cause if result.failure else ""
        if result.passed:
            report.faults.append(f"task {task.id}: the wrong answer `{wrong.name}` passes")
        elif wrong.cause and found != wrong.cause:
            report.faults.append(f"task {task.id}: `{wrong.name}` is explained as {found!r}, not {wrong.cause!r}")
        report.wrong_answers += 1
    for row in task.rows:
        for mutant in mutants_of(kernel, row, mutants):
            if check_kernel(task, mutant.kernel, path, SEED, (row,)).passed:
                report.survivors.append(f"{row.name}: {mutant.name}")
            else:
                report.killed += 1
