"""The trusted side of a check: what a task's cases give to the learner's code, and what is right.

A case's `judge` is a pure function of the answer, which is nothing but plain values; no learner's code runs here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grader.emitter.forms import stage_modules
from grader.emitter.values import Values
from grader.feedback.causes import REFUSED
from grader.feedback.failure import Failure
from grader.feedback.suspects import Suspect, suspect
from grader.result import Cost
from grader.rigs.rig import Inputs
from haribote.answers.tasks import Task
from haribote.errors import HariboteError
from simulator.messages import Text, tr

Array = NDArray[Any]

NEAR = 1e-5  # of single-precision arithmetic on numbers near 1


Objection = Failure | str | None
"""What is wrong with an answer; a sentence where nothing more is known of it, None or "" where nothing is wrong."""


def no_cost(answer: Values) -> Cost | None:
    """Of a case that is not counted."""
    return None


@dataclass(frozen=True, eq=False)
class Trial:
    """One case. given: what goes to the learner's code. judge: what is wrong with an answer.

    A judge may raise any error for an answer that is not of the form it needs. cost: of a right answer, where its
    task counts one. earns: whether it counts towards a part of the points where other cases fail; one that an answer
    passes which always refuses, or gives back what it was given, does not. Names are unique within a task.
    inputs: of an answer of assembly, what the machine holds before it, by name; a debugger begins with it. lead, tail:
    lines of assembly that run before and after such an answer. shown: the inputs that the learner is shown beside a
    sentence of the judge.
    """

    name: str
    given: Values
    judge: Callable[[Values], Objection]
    cost: Callable[[Values], Cost | None] = no_cost
    earns: bool = True
    inputs: Callable[[], Inputs] | None = None
    lead: str = ""
    tail: str = ""
    shown: Mapping[str, Array] = field(default_factory=dict)

    def failure(self, answer: Values) -> Failure | None:
        """What is wrong with an answer, or None."""
        found = self.judge(answer) or None
        return Failure(self.name, "", found, inputs=dict(self.shown)) if isinstance(found, str) else found


Trials = Callable[[np.random.Generator], Iterator[Trial]]
Wrong = tuple[tuple[str, str], ...]
"""Deliberately wrong answers: a text in the solution, and what stands there instead."""


def trials_of(task: Task, seed: int) -> Iterator[Trial]:
    """All cases of a task, the same ones for the same seed. Raises HariboteError for a task without cases.

    The judges of a kernel's cases belong to one run through them: they must be called in order.
    """
    if task.is_kernel:
        from grader.trials.kernels import kernel_trials

        return kernel_trials(task, seed)
    trials: Trials = _entry(task, "TRIALS")
    return _whole(task, trials(np.random.default_rng(seed)))


def _whole(task: Task, trials: Iterator[Trial]) -> Iterator[Trial]:
    """The cases, and a last one in the product where the answer is a small part of it."""
    from grader.emitter.in_product import RUNS
    from grader.trials.in_product import in_product

    yield from trials
    if task.id in RUNS:
        yield in_product(task)


def wrong_of(task: Task) -> Wrong:
    """The deliberately wrong answers to a task that is no kernel. Raises HariboteError where it has none."""
    wrong: Wrong = _entry(task, "WRONG")
    return wrong


def _entry(task: Task, table: str) -> Any:
    for module in stage_modules("grader.trials", task):
        if task.id in getattr(module, table):
            return getattr(module, table)[task.id]
    raise HariboteError(
        tr("task {id} has no cases", task.id), tr("add it to {table} of grader/trials/s{theme}.py", table, task.theme)
    )


def refused(name: str, said: object) -> Failure:
    """What is wrong with an answer that refuses a case which its contract promises. said: why it does."""
    return Failure(name, REFUSED, tr("{message}\n    but the contract promises this case", said))


def first_of(objections: Iterable[Objection]) -> Objection:
    """The first of several things that is wrong, if any is."""
    return next((objection for objection in objections if objection), None)


def array_in(answer: Values, name: str) -> Array:
    """An array of an answer. Raises HariboteError where there is none of this name."""
    value = answer.get(name)
    if not isinstance(value, np.ndarray):
        raise HariboteError(tr("the answer must have an array {name!r}, received {name2}", name, type(value).__name__))
    return value


def compare(
    name: str,
    inputs: Mapping[str, Any],
    expected: Array,
    received: Array,
    near: float = NEAR,
    what: str = Text("the result"),
    instead: Iterable[tuple[str, str, Array]] = (),
) -> Failure | None:
    """Compare arrays; what is wrong, or None. near: largest error, relative where a value is larger than 1.

    inputs: what the learner is shown as the inputs of the case. what: how the result is called in messages. instead:
    mistakes that are known of this task: the cause, what is seen in a sentence, and what they give.
    """

    def explained() -> Suspect:
        known = ((cause, seen) for cause, seen, result in instead if _equal(result, received, near))
        return next(known, None) or suspect(expected, received, shown) or ("", "")

    shown = {key: np.asarray(value) for key, value in inputs.items()}
    if received.dtype.kind not in "biuf":
        raise HariboteError(tr("{what} must be numbers, received {dtype}", what, received.dtype))
    if expected.shape != received.shape:
        text = tr("{what} must have shape {shape}, received {shape2}", what, list(expected.shape), list(received.shape))
        cause, seen = explained()
        return Failure(name, cause, "\n".join(filter(None, [text, seen])), "", shown, expected, received)
    error, wrong = _error(expected, received, near)
    if not wrong.any():
        return None
    index = tuple(int(value) for value in np.argwhere(wrong)[0]) if wrong.ndim else ()
    right, found = f"{float(expected[index]):.7g}", f"{float(received[index]):.7g}"
    text = tr("{what} is wrong: expected {right}, received {found}", what, right, found)
    if index:
        text = tr(
            "{sum} of {size} values of {what} are wrong\nfirst at {index}: expected {right}, received {found}",
            sum=int(wrong.sum()),
            size=wrong.size,
            what=what,
            index=list(index),
            right=right,
            found=found,
        )
    error = np.where(wrong, np.where(np.isnan(error), np.inf, error), 0.0)
    cause, seen = explained()
    text = "\n".join(filter(None, [text, seen]))
    return Failure(name, cause, text, "", shown, expected, received, error)


def gives(
    name: str,
    given: Values,
    shown: Mapping[str, Any],
    key: str,
    expected: ArrayLike,
    what: str,
    instead: Iterable[tuple[str, str, Array]] = (),
    earns: bool = True,
) -> Trial:
    """A case whose answer is one array with this key. shown, what, instead: as of `compare`."""

    def judge(answer: Values) -> Objection:
        return compare(name, shown, np.asarray(expected), array_in(answer, key), what=what, instead=instead)

    return Trial(name, given, judge, earns=earns)


def _error(expected: Array, received: Array, near: float) -> tuple[Array, Array]:
    """How far every value is off, and where that is too far."""
    with np.errstate(invalid="ignore"):
        error = np.abs(expected.astype(np.float64) - received.astype(np.float64))
        return error, ~((error <= near * np.maximum(1, np.abs(expected))) | (expected == received))


def _equal(expected: Array, received: Array, near: float) -> bool:
    return expected.shape == received.shape and not _error(expected, received, near)[1].any()
