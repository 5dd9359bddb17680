"""`check("5.12")`: run all cases of a task on the answer as it is on disk now, and say what is wrong with it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.alone import alone
from grader.debugger.debug import debug
from grader.emitter.loading import shown
from grader.emitter.replies import answering, answering_kernel
from grader.emitter.values import copied
from grader.feedback.failure import Failure
from grader.judging import judge_trials, unwritten
from grader.progress import Progress
from grader.result import Result, State
from grader.trials import trials_of
from grader.trials.kernels import kernel_trials
from haribote.answers.ownership import answer_file, is_written, parts_left, product_only
from haribote.answers.tasks import ROOT, Task, find_task
from haribote.answers.verdicts import remember
from haribote.errors import HariboteError, NotWritten
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow


def check(task: str, *, path: Path | None = None, seed: int | None = None, keep: bool = True) -> Result:
    """Check the answer to a task: the learner's file, or with HARIBOTE_SOLUTIONS=1 the course's own answer.

    path: another file with an answer. seed: of the random values; a fresh one by default. keep: record what is found of
    the learner's own file in their progress, for `grader list` and for runs that take kernels where they pass. Raises
    UnknownTask.
    """
    found, start, own = find_task(task), time.monotonic(), path is None
    path = path or answer_file(found, root=ROOT)
    seed = secrets.randbelow(10**6) if seed is None else seed
    result = _check(found, path, seed) if is_written(path) else _unwritten(found, path, seed)
    reference = path == answer_file(found, solutions=True, root=ROOT)
    if result.state != "not started":
        remember(path, result.state)
    debugger = partial(debug, found.id, path, seed)
    result = replace(result, seconds=time.monotonic() - start, reference=reference, debugger=debugger)
    if keep and own and not reference:
        Progress(ROOT).record(result)
    return result


def _check(task: Task, path: Path, seed: int) -> Result:
    """As grading does it: the answer replies to all cases, alone; then its replies are judged."""
    helpers = not path.is_relative_to(ROOT / "haribote")  # the reference answers, and what the self-test makes of them
    with product_only():
        trials = list(trials_of(task, seed))
    try:
        with product_only(), alone(task, helpers):
            reply = answering(task, path)
            replies = {trial.name: reply(trial.name, copied(trial.given)) for trial in trials}
    except NotWritten:
        return _unwritten(task, path, seed)
    except HariboteError as error:
        return _result(task, path, seed, "failed", "", Failure("loading the file", "", str(error)))
    result = judge_trials(task, trials, lambda trial: replies[trial.name], seed, path)
    passing = f"{result.cases} of {result.total} cases pass"
    return replace(result, message=passing) if result.state == "failed" else result


def check_kernel(task: Task, kernel: Kernel, path: Path, seed: int, rows: Iterable[KernelRow] | None = None) -> Result:
    """Check a kernel at hand on the cases of its task's rows of the kernel table, or of these rows, until one fails."""
    reply = answering_kernel(task, kernel, path)
    trials = kernel_trials(task, seed, rows)
    return judge_trials(task, trials, lambda trial: reply(trial.name, copied(trial.given)), seed, path, whole=False)


def _unwritten(task: Task, path: Path, seed: int) -> Result:
    inner = [name.rpartition(".")[2] for name in parts_left(path.read_bytes()) if "." in name] if path.is_file() else []
    left = f"; still to write in it: {', '.join(f'`{name}`' for name in inner)}" if inner else ""
    return _result(task, path, seed, "not started", unwritten(task, path) + left)


def _result(task: Task, path: Path, seed: int, state: State, message: str, failure: Failure | None = None) -> Result:
    return Result(task.id, task.title, state, 0, task.points, shown(path), message, seed=seed, failure=failure)
