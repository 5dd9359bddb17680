"""Generators as trials: the rows of the kernel table that each covers, together one cost, and hidden layouts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from grader.emitter.kernels import given_of
from grader.emitter.loading import REFUSED
from grader.emitter.values import Values
from grader.judges.program import cost_of
from grader.result import Cost
from grader.rigs.generator_cases import counted_cases, hidden_cases
from grader.rigs.kernel_cases import Case
from grader.rigs.kernel_run import inputs_of
from grader.trials import Objection, Trial, Trials, no_cost, refused
from grader.trials.kernels import History, judge_kernel
from haribote.answers.tasks import find_task
from simulator.messages import tr


def generated(task: str) -> Trials:
    """The trials of the generator that answers a task."""
    return lambda rng: _trials(task, rng)


def _trials(task: str, rng: np.random.Generator) -> Iterator[Trial]:
    found, history, sum_of = find_task(task), History(), _Sum()
    seed = int(rng.integers(2**31))
    counted = list(counted_cases(found, seed))
    sum_of.expected, sum_of.par = len([case for case in counted if not case.moved]), found.par
    for case in counted:
        name = f"{case.row.name}: {case.name}"
        judge = partial(_judge, case, name, history, True)
        cost = no_cost if case.moved else sum_of.add
        yield Trial(name, given_of(case.op), judge, cost, inputs=partial(inputs_of, case))
    for hidden in hidden_cases(found, rng):
        case, promised = hidden.case, hidden.promised
        judge = partial(_judge, case, case.name, history, promised)
        yield Trial(case.name, given_of(case.op), judge, earns=promised, inputs=partial(inputs_of, case))


class _Sum:
    """Steps and MV of all rows that a generator covers, told once, with the last one."""

    expected = par = 0

    def __init__(self) -> None:
        self._scores: list[int] = []

    def add(self, answer: Values) -> Cost | None:
        """One more right answer."""
        self._scores.append(cost_of("", 0, answer).score)
        if len(self._scores) < self.expected:
            return None
        return Cost(tr("{expected} kernels together", self.expected), sum(self._scores), self.par)


def _judge(case: Case, name: str, history: History, promised: bool, answer: Values) -> Objection:
    if REFUSED not in answer:
        return judge_kernel(case, name, history, answer)
    return refused(name, str(answer[REFUSED]).splitlines()[0]) if promised else None
