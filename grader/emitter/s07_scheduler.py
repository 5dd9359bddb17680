"""Stage 07: what the emitter does for the tasks of the scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from grader.emitter.forms import Form, Function
from grader.emitter.loading import AnswerError
from grader.emitter.numbers import whole_numbers
from grader.emitter.values import Value, Values, ints, listed
from haribote.answers.ownership import standing_in
from haribote.speed import scheduler
from haribote.speed.dependence import Access
from simulator import assemble
from simulator.messages import tr


def steps_apart(function: Function, given: Values) -> dict[str, Value]:
    """Given: what two instructions read and write, as numbers of words of LM0. Answer: 1, 0, or -1 for None."""
    first, second = (
        Access(
            *(
                frozenset(("lm0", int(word)) for word in listed(given[f"{which} {what}"]))
                for what in ("reads", "writes")
            )
        )
        for which in ("first", "second")
    )
    found = function(first, second)
    if found is not None and (isinstance(found, bool | float) or found not in (0, 1)):
        raise AnswerError(tr("the function must return 1, 0 or None, received {found}", str(found)[:80]))
    return {"apart": np.asarray(-1 if found is None else int(found))}


def critical_path(function: Function, given: Values) -> dict[str, Value]:
    """Given: order, lengths, after (lists of pairs). Answer: what is left of every job."""
    after = [_table(pairs) for pairs in listed(given["after"])]
    found = function(ints(given["order"]), ints(given["lengths"]), after)
    return {"left": whole_numbers(found)}


class Units:
    """The table of an abstract problem: job k works on units[k] for lengths[k] steps."""

    def __init__(self, units: Sequence[int], lengths: Sequence[int]) -> None:
        self._units, self._lengths = units, lengths
        self._busy: set[tuple[int, int]] = set()
        self._placed: set[int] = set()

    def fits(self, job: int, step: int) -> bool:
        """Whether the unit of a job is free from this step on."""
        return step >= 0 and not self._busy.intersection(self._steps(job, step))

    def place(self, job: int, step: int) -> None:
        """Let it work. Raises AnswerError where it does not fit, or for the second time."""
        if job in self._placed or not self.fits(job, step):
            why = tr("for the second time") if job in self._placed else tr("where it does not fit")
            raise AnswerError(
                tr("table.place({job}, {step}) places job {job} {why}", job, step, why), tr("ask table.fits first")
            )
        self._placed.add(job)
        self._busy.update(self._steps(job, step))

    def _steps(self, job: int, step: int) -> Iterator[tuple[int, int]]:
        return ((self._units[job], step + k) for k in range(self._lengths[job]))


def list_schedule(function: Function, given: Values) -> dict[str, Value]:
    """Given: a program, which is scheduled with the answer; or jobs with units, lengths, before, priority."""
    if "program" in given:
        with standing_in("7.5", function):
            return {"text": scheduler.schedule(assemble(str(given["program"]))).source}
    before = [_table(pairs) for pairs in listed(given["before"])]
    table = Units(ints(given["units"]), ints(given["lengths"]))
    found = function(before, ints(given["priority"]), table)
    return {"starts": whole_numbers(found)}


def _table(pairs: Any) -> dict[int, int]:
    return {int(other): int(least) for other, least in listed(pairs)}


FORMS: dict[str, Form] = {"7.3": steps_apart, "7.4": critical_path, "7.5": list_schedule}
