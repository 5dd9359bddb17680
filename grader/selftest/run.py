"""The course checks itself: stubs are unsolved, solutions pass, wrong answers and mutants of solutions do not.

A wrong answer has one mistake of a kind that learners make. A mutant is smaller and made by rule: for a kernel a
changed line of the text that it emits, for other tasks a changed place of the source. What is not rejected is named in
the report; a mutant that gives the very answers of the solution is no mistake and is not counted.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.checking import check
from grader.emitter.limits import Budget
from grader.emitter.loading import load
from grader.emitter.replies import Reply
from grader.feedback.causes import CAUSES
from grader.on_cases import check_kernel
from grader.running import replies_to
from grader.selftest.mistakes import MISTAKES
from grader.selftest.mutants import mutants_of, wrong_answers
from grader.selftest.rejecting import Rejecting
from grader.selftest.source_mutants import source_mutants
from grader.stubs import stub_of
from grader.trials import trials_of, wrong_of
from haribote.answers.given import source_of
from haribote.answers.ownership import answer_file, is_written, product_only
from haribote.answers.resolve import kernel_in
from haribote.answers.tasks import Task, all_tasks, find_task
from haribote.errors import HariboteError
from haribote.kernel_table import rows_of

SEED = 7
HINTS = 3


@dataclass
class SelftestReport:
    """What the self-test found. faults: of the course itself. survivors: mutants that no case rejects.

    killed: mutants of kernels that were rejected, exercises_killed: of other tasks; equivalent: those that give the
    same answers. causes: mistakes that were called by their name.
    """

    stubs: int = 0
    solutions: int = 0
    wrong_answers: int = 0
    killed: int = 0
    exercises_killed: int = 0
    equivalent: int = 0
    causes: int = 0
    survivors: list[str] = field(default_factory=list)
    exercise_survivors: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: SelftestReport) -> None:
        """Add what was found elsewhere."""
        for entry in fields(self):
            setattr(self, entry.name, getattr(self, entry.name) + getattr(other, entry.name))

    @property
    def mutants(self) -> int:
        """How many mutants were tried that differ from the solution."""
        return self.killed + len(self.survivors) + self.exercises_killed + len(self.exercise_survivors)

    @property
    def kill_rate(self) -> float:
        """Share of the mutants that were rejected."""
        return (self.killed + self.exercises_killed) / self.mutants if self.mutants else 1.0

    @property
    def passed(self) -> bool:
        """True where the course has no fault."""
        return not self.faults

    def __str__(self) -> str:
        lines = [f"fault: {fault}" for fault in self.faults]
        lines += [f"not rejected: {survivor}" for survivor in (*self.survivors, *self.exercise_survivors)]
        kernels, others = self.killed + len(self.survivors), self.exercises_killed + len(self.exercise_survivors)
        lines.append(
            f"{self.stubs} stubs unsolved, {self.solutions} solutions with full marks, {self.wrong_answers} wrong "
            f"answers rejected, {self.causes} mistakes called by their name"
        )
        lines.append(
            f"mutants rejected: {self.killed} of {kernels} of kernels, {self.exercises_killed} of {others} of other "
            f"tasks, together {self.kill_rate:.1%}; {self.equivalent} more give the same answers; {self.seconds:.0f} s"
        )
        return "\n".join([*lines, "the course is sound" if self.passed else f"{len(self.faults)} faults"])


def selftest(
    tasks: Iterable[Task], mutants: int = 8, say: Callable[[str], object] | None = None, workers: int = 1
) -> SelftestReport:
    """Check the course. mutants: at most so many of each kind per kernel row or task. workers: processes."""
    report, start, tasks = SelftestReport(), time.monotonic(), list(tasks)
    if len(tasks) == len(all_tasks()):
        for cause in sorted(set(CAUSES) - {mistake.cause for mistake in MISTAKES}):
            report.faults.append(f"the cause {cause!r} has no mistake in grader/selftest/mistakes.py")
    for task, found in zip(tasks, _reports([task.id for task in tasks], mutants, workers), strict=True):
        report.add(found)
        if say:
            killed = report.killed + report.exercises_killed
            say(f"task {task.id} ({task.title}): {killed} of {report.mutants} mutants rejected so far")
    report.seconds = time.monotonic() - start
    return report


def _reports(tasks: list[str], mutants: int, workers: int) -> Iterator[SelftestReport]:
    """The reports of the tasks, in their order."""
    if workers <= 1 or len(tasks) == 1:
        yield from (task_report(task, mutants) for task in tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(task_report, tasks, [mutants] * len(tasks))


def task_report(name: str, mutants: int) -> SelftestReport:
    """Everything about one task."""
    task, report = find_task(name), SelftestReport()
    with product_only(), TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mutants divide by zero
        path = Path(folder) / Path(task.file).name
        try:
            _entry(task, report)
            _stub(task, report, path)
            _solution(task, report)
            _causes(task, report, path)
            if task.is_kernel:
                _wrong_kernels(task, report, mutants)
            else:
                _wrong_exercises(task, report, mutants, path)
        except HariboteError as error:  # a task without cases, form, solution or markers
            report.faults.append(f"task {task.id}: {error}")
    return report


def _entry(task: Task, report: SelftestReport) -> None:
    """Hints, par, limits, and no need of a later task."""
    earlier = [other.id for other in all_tasks()[: all_tasks().index(task)]]
    for holds, fault in (
        (len(task.hints) == HINTS and all(task.hints), f"has {len(task.hints)} hints, not {HINTS}"),
        (len(set(task.hints)) == len(task.hints), "has the same hint twice"),
        (task.par > 0 and task.seconds > 0 and task.minutes > 0 and task.points > 0, "lacks par, limit or points"),
        (
            not task.is_kernel or task.par == sum(row.par for row in rows_of(task.id)),
            "has another par than the kernel table",
        ),
        (task.is_kernel != bool(task.name), "must have rows of the kernel table, a product or a function"),
        (set(task.needs) <= set(earlier), f"needs a later task ({', '.join(task.needs)})"),
    ):
        if not holds:
            report.faults.append(f"task {task.id}: {fault}")


def _stub(task: Task, report: SelftestReport, path: Path) -> None:
    """The stub is unwritten, and says so when it is run all the same."""
    path.write_text(stub_of(task, source_of(task)), encoding="utf-8")
    wanted = f"task {task.id} ({task.title}) is not written yet; check it with `grader check {task.id}`"
    result = check(task.id, path=path, seed=SEED)
    if result.state != "not started" or result.points or is_written(path):
        report.faults.append(f"task {task.id}: its stub is {result.state}")
    trial = next(trials_of(task, SEED))
    problem = next(iter(replies_to(task, path, [trial])), Reply(trial.name)).problem
    if problem is None or problem.kind != "not written" or problem.message != wanted:
        said = problem.message if problem else "nothing"
        report.faults.append(f"task {task.id}: its stub, when it is run, says {said!r}, not {wanted!r}")
    report.stubs += 1


def _solution(task: Task, report: SelftestReport) -> None:
    before = _used()
    result = check(task.id, path=answer_file(task, solutions=True), seed=SEED)
    used = _used() - before
    if not result.passed or result.points != task.points:
        report.faults.append(f"task {task.id}: its solution does not get full marks\n{result}")
    elif used > task.seconds:
        report.faults.append(f"task {task.id}: its solution takes {used:.1f} s of {task.seconds} s")
    report.solutions += 1


def _used() -> float:
    """Seconds of processor time so far, with those of the compiler: on a busy machine the clock says little."""
    return sum(os.times()[:4])


def _causes(task: Task, report: SelftestReport, path: Path) -> None:
    """The mistakes of this task are called by their names."""
    source = _source(task)
    for mistake in MISTAKES:
        if mistake.task != task.id:
            continue
        path.write_text(source.replace(mistake.old, mistake.new), encoding="utf-8")
        failure = check(task.id, path=path, seed=SEED).failure
        cause = failure.cause if failure else "nothing"
        if mistake.old not in source or cause != mistake.cause:
            report.faults.append(f"task {task.id}: `{mistake.new}` is explained as {cause!r}, not {mistake.cause!r}")
        report.causes += 1


def _source(task: Task) -> str:
    return answer_file(task, solutions=True).read_text(encoding="utf-8")


def _wrong_exercises(task: Task, report: SelftestReport, mutants: int, path: Path) -> None:
    source, rejecting = _source(task), Rejecting(task, SEED, path)
    wrong = wrong_of(task)
    for old, new in wrong:
        if old not in source or rejecting.outcome(source.replace(old, new)) != "rejected":
            report.faults.append(f"task {task.id}: the wrong answer with `{new}` passes")
        report.wrong_answers += 1
    if len(wrong) < 2:
        report.faults.append(f"task {task.id}: has fewer than two wrong answers")
    for mutant in source_mutants(source, mutants):
        outcome = rejecting.outcome(mutant.source)
        if outcome == "rejected":
            report.exercises_killed += 1
        elif outcome == "the same answers":
            report.equivalent += 1
        else:
            report.exercise_survivors.append(f"task {task.id}: {mutant.name}")


def _wrong_kernels(task: Task, report: SelftestReport, mutants: int) -> None:
    path = answer_file(task, solutions=True)
    kernel = kernel_in(load(path, path.read_bytes(), Budget(task.seconds)), task.id)
    for wrong in wrong_answers(kernel, rows_of(task.id)[0]):
        result = check_kernel(task, wrong.kernel, path, SEED, rows_of(task.id)[:1], explained=bool(wrong.cause))
        found = result.failure.cause if result.failure else ""
        if result.passed:
            report.faults.append(f"task {task.id}: the wrong answer `{wrong.name}` passes")
        elif wrong.cause and found != wrong.cause:
            report.faults.append(f"task {task.id}: `{wrong.name}` is explained as {found!r}, not {wrong.cause!r}")
        report.wrong_answers += 1
    for row in rows_of(task.id):
        for mutant in mutants_of(kernel, row, mutants):
            if check_kernel(task, mutant.kernel, path, SEED, (row,), explained=False).passed:
                report.survivors.append(f"{row.name}: {mutant.name}")
            else:
                report.killed += 1
