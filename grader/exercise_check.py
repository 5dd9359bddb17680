"""Check a task that is no kernel: call the learner's function on its cases and compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np

from grader.emission import AnswerError, explained, load, shown, time_limit
from grader.exercise_cases import NEAR, TRIALS, Trial
from grader.result import Failure
from haribote.errors import HariboteError
from haribote.tasks import Task


def check_exercise(task: Task, path: Path, seed: int) -> tuple[int, Failure | None]:
    """The number of cases that pass, and the first that fails, if any. Raises AnswerError for a file without answer."""
    name = task.product.partition(":")[2]
    function = getattr(load(path, task.seconds), name, None)
    if not callable(function):
        raise AnswerError(f"{shown(path)}: has no function {name}", f"def {name}(…): as in the stub")
    passed, case = 0, "the first case"
    try:
        for trial in TRIALS[task.id](_guarded(function, path, task.seconds), np.random.default_rng(seed)):
            case = trial.name
            failure = _compare(trial)
            if failure:
                return passed, failure
            passed += 1
    except HariboteError as error:  # the answer's own mistake, or a graph that is not valid
        return passed, Failure(f"after {case}" if passed else case, "", str(error))
    except (ValueError, TypeError) as error:  # what the answer gave is of no use to the case
        return passed, Failure(f"after {case}" if passed else case, "", f"{shown(path)}: {error}")
    return passed, None


def _guarded(function: Callable[..., Any], path: Path, seconds: float) -> Callable[..., Any]:
    """The function, its mistakes explained and its time limited; a generator stays one."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with explained(path), time_limit(seconds):
            result = function(*args, **kwargs)
        return _items(result, path, seconds) if isinstance(result, GeneratorType) else result

    return call


def _items(items: Iterator[Any], path: Path, seconds: float) -> Iterator[Any]:
    end = object()
    while True:
        with explained(path), time_limit(seconds):
            item = next(items, end)
        if item is end:
            return
        yield item


def _compare(trial: Trial) -> Failure | None:
    expected, received = np.asarray(trial.expected), np.asarray(trial.received)
    if expected.shape != received.shape:
        text = f"the result must have shape {list(expected.shape)}, received {list(received.shape)}"
        return Failure(trial.name, "", text, "", trial.inputs, expected, received)
    with np.errstate(invalid="ignore"):
        error = np.abs(expected.astype(np.float64) - received.astype(np.float64))
    wrong = ~(error <= NEAR * np.maximum(1, np.abs(expected)))
    if not wrong.any():
        return None
    index = tuple(int(value) for value in np.argwhere(wrong)[0]) if wrong.ndim else ()
    text = f"{int(wrong.sum())} of {wrong.size} values are wrong\nfirst at {list(index)}: "
    text += f"expected {float(expected[index]):.7g}, received {float(received[index]):.7g}"
    return Failure(trial.name, "", text, "", trial.inputs, expected, received, np.where(wrong, error, 0.0))
