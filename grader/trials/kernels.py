"""The cases of a kernel as trials: its text is assembled, checked for hazards, and run on the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any

from grader.emitter.kernels import given_of
from grader.emitter.values import Values
from grader.feedback.causes import READS_TOO_EARLY
from grader.feedback.failure import Failure
from grader.judges.kernel import Home, judge_case, stray_case
from grader.judges.program import assembled, cost_of, failure_at, failure_in, text_in
from grader.rigs.kernel_cases import Case, kernel_cases
from grader.rigs.kernel_run import Scratch, inputs_of
from grader.trials import Trial, no_cost
from haribote.answers.tasks import Task
from haribote.errors import HariboteError
from haribote.kernel import Op
from haribote.kernel_table import KernelRow, rows_of
from simulator.messages import tr

MOST_SCRATCH = 1000


@dataclass
class History:
    """The cases of a task so far. home: by row, one that passed at the problem set's addresses. failed: whether any.

    answers: the text of every operator that was asked for, with the name of its case. explained: as in `judge_case`.
    """

    home: dict[str, Home] = field(default_factory=dict)
    failed: bool = False
    answers: list[tuple[Op, str, str]] = field(default_factory=list)
    explained: bool = True

    def other_text(self, case: Case, name: str, text: str) -> Failure | None:
        """An equal operator in an earlier case has another text."""
        for op, earlier, known in self.answers:
            if op == case.op and known != text:
                number = next(
                    n for n, (a, b) in enumerate(zip_longest(known.split("\n"), text.split("\n")), 1) if a != b
                )
                words = tr(
                    "the operator is that of the case `{earlier}`, but the text differs from line {number} on",
                    earlier,
                    number,
                )
                fix = tr("let the lines depend on `op` alone: not on a counter, the time or chance")
                return failure_at(name, "", words, text, number, fix)
        self.answers.append((case.op, name, text))
        return None


def kernel_trials(
    task: Task, seed: int, rows: Iterable[KernelRow] | None = None, explained: bool = True
) -> Iterator[Trial]:
    """The cases of a kernel's rows of the kernel table, or of these rows only. explained: as in `judge_case`."""
    rows, history = rows_of(task.id) if rows is None else tuple(rows), History(explained=explained)
    for row in rows:
        for case in kernel_cases(row, seed):
            name = case.name if len(rows_of(task.id)) == 1 else f"{row.name}: {case.name}"
            cost = partial(cost_of, row.name, row.par) if case.counted else no_cost
            judge = partial(judge_kernel, case, name, history)
            yield Trial(name, given_of(case.op), judge, cost, inputs=partial(inputs_of, case))


def judge_kernel(case: Case, name: str, history: History, answer: Values) -> Failure | None:
    """What is wrong with the text of a kernel, or None. Of several failures only the first is looked into."""
    text = text_in(answer)
    failure = history.other_text(case, name, text) or failure_in(name, text) or _mask_left(name, text)
    explained = history.explained and not history.failed
    if failure is not None and failure.cause == READS_TOO_EARLY and explained:
        # Perhaps it is too early for what should not have been written at all.
        failure = stray_case(case, name, assembled(text), text, _scratch_in(answer)) or failure
    if failure is None:
        program, home = assembled(text), history.home.get(case.row.name) if case.counted else None
        failure = judge_case(case, name, program, text, home, _scratch_in(answer), explained)
        if failure is None and not case.moved:
            history.home[case.row.name] = (case, program)
    history.failed |= failure is not None
    return failure


def _mask_left(name: str, text: str) -> Failure | None:
    """A `mask` statement holds for all lines behind it, those of the next kernel among them."""
    lines = [(number, line.split("#")[0].split()) for number, line in enumerate(text.split("\n"), 1)]
    statements = [(number, words) for number, words in lines if words and words[0].startswith("mask")]
    if not statements or statements[-1][1][-1] == "0":
        return None
    number = statements[-1][0]
    what = tr("the kernel leaves a mask default behind, which would hold for the next kernel's lines too")
    return failure_at(name, "", what, text, number, tr("`mask 0` at the end"))


def _scratch_in(answer: Values) -> tuple[Scratch, ...]:
    """What `op.scratch` gave. Raises TypeError and ValueError for what is no such list."""
    found: Any = answer.get("scratch", [])
    if len(found) > MOST_SCRATCH:
        raise HariboteError(
            tr("`op.scratch` is asked {found} times, at most {most_scratch} are allowed", len(found), MOST_SCRATCH)
        )
    return tuple((str(memory), int(first), int(count)) for memory, first, count in found)
