"""The cases of a kernel as trials: its text is assembled, checked for hazards, and run on the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from grader.emitter.kernels import given_of
from grader.emitter.values import Values
from grader.judge_kernel import Home, judge_case
from grader.kernel_cases import Case, kernel_cases
from grader.program import assembled, failure_in, text_in
from grader.result import Cost, Failure
from grader.trials import Trial
from haribote.kernel_table import KernelRow
from haribote.tasks import Task


def kernel_trials(task: Task, seed: int, rows: Iterable[KernelRow] | None = None) -> Iterator[Trial]:
    """The cases of a kernel's rows of the kernel table, or of these rows only."""
    rows, history = task.rows if rows is None else tuple(rows), History()
    for row in rows:
        for case in kernel_cases(row, seed):
            name = case.name if len(task.rows) == 1 else f"{row.name}: {case.name}"
            cost = _no_cost if case.moved else partial(_cost, row)
            yield Trial(name, given_of(case.op), partial(_judge, case, name, history), cost)


@dataclass
class History:
    """The cases of a task so far. home: by row, one that passed at the problem set's addresses. failed: whether any."""

    home: dict[str, Home] = field(default_factory=dict)
    failed: bool = False


def _judge(case: Case, name: str, history: History, answer: Values) -> Failure | None:
    """Only the first failure is told to anybody, so the others are not looked into."""
    text = text_in(answer)
    failure = failure_in(name, text)
    if failure is None:
        program = assembled(text)
        failure = judge_case(case, name, program, text, history.home.get(case.row.name), not history.failed)
        if failure is None and not case.moved:
            history.home[case.row.name] = (case, program)
    history.failed |= failure is not None
    return failure


def _cost(row: KernelRow, answer: Values) -> Cost:
    program = assembled(text_in(answer))
    return Cost(row.name, program.steps + program.moves, row.par)


def _no_cost(answer: Values) -> None:
    return None
