"""`check("5.12")`: run all cases of a task on the answer as it is on disk now, and say what is wrong with it."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.credits import credit, told
from grader.debugger.debug import debug
from grader.emitter.limits import TimeLimit, time_limit
from grader.emitter.loading import shown
from grader.emitter.replies import Reply, answering_kernel
from grader.emitter.values import copied
from grader.feedback.failure import Failure
from grader.judging import (
    judge_trials,
    not_judged,
    note_of,
    replies_in,
    seconds_to_judge,
    told_with,
    unfinished,
    unwritten,
)
from grader.progress import Progress
from grader.result import Result
from grader.running import run
from grader.trials import trials_of
from grader.trials.kernels import kernel_trials
from haribote.answers.ownership import answer_file, product_only
from haribote.answers.tasks import ROOT, Task, find_task
from haribote.answers.verdicts import remember
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow
from simulator.errors import reason_of
from simulator.messages import tr


def check(task: str, *, path: Path | None = None, seed: int | None = None, keep: bool = True) -> Result:
    """Check the answer to a task: the learner's file, or with HARIBOTE_SOLUTIONS=1 the course's own answer.

    path: another file with an answer. seed: of the random values; a fresh one by default. keep: record what is found of
    the learner's own file in their progress, for `grader list` and for runs that take kernels where they pass. Raises
    UnknownTask.
    """
    found, start, own = find_task(task), time.monotonic(), path is None
    path = path or answer_file(found, root=ROOT)
    seed = secrets.randbelow(10**6) if seed is None else seed
    result = _unread(found, path, seed) or _check(found, path, seed)
    reference = path == answer_file(found, solutions=True, root=ROOT)
    if result.state != "not started":
        remember(path, result.state)
    debugger = partial(debug, found.id, path, seed)
    result = replace(result, seconds=time.monotonic() - start, reference=reference, debugger=debugger)
    if own and not reference:
        progress = Progress(ROOT)
        if keep:
            progress.record(result)
        result = with_credit(result, progress)
    return result


def with_credit(result: Result, progress: Progress) -> Result:
    """The result of a kernel that is not started, with what the learner's generators earn for it."""
    by = progress.generated.get(result.task) if result.state == "not started" else None
    if by is None:
        return result
    return replace(result, points=credit(find_task(result.task)), message=f"{told(by)}\n{result.message}")


def _unread(task: Task, path: Path, seed: int) -> Result | None:
    """The verdict on a file that is not there, cannot be read, or is not finished; None for one that can be run."""
    try:
        return unfinished(task, path.read_bytes(), path, seed)
    except FileNotFoundError:
        return Result(task.id, task.title, "not started", 0, task.points, shown(path), unwritten(task, path), seed=seed)
    except OSError as error:
        failure = Failure(
            tr("loading the file"), "", tr("{path}: cannot be read: {strerror}", shown(path), reason_of(error))
        )
        return Result(task.id, task.title, "failed", 0, task.points, shown(path), "", seed=seed, failure=failure)


def _check(task: Task, path: Path, seed: int) -> Result:
    """As grading does it: the answer replies to all cases in a process of its own; then its replies are judged."""
    with product_only():
        trials = list(trials_of(task, seed))
    outcome = run(task, path, trials)
    if outcome.errors:  # what the answer printed
        print(outcome.errors, end="", file=sys.stderr)
    replies = {reply.name: reply for reply in replies_in(outcome.output)}
    try:
        with time_limit(seconds := seconds_to_judge(task)):
            result = judge_trials(task, trials, lambda trial: replies.get(trial.name) or Reply(trial.name), seed, path)
    except TimeLimit:
        return not_judged(task, seed, path, tr("it took longer than {seconds:g} s to judge", seconds))
    parts = (
        [tr("{cases} of {total} cases pass", result.cases, result.total)]
        if result.state == "failed"
        else [result.message]
    )
    result = told_with(result, task, path.read_bytes(), path, outcome)
    return replace(result, message="; ".join(filter(None, [*parts, note_of(outcome)])))


def check_kernel(
    task: Task, kernel: Kernel, path: Path, seed: int, rows: Iterable[KernelRow] | None = None, explained: bool = True
) -> Result:
    """Check a kernel at hand on the cases of its task's rows of the kernel table, or of these rows, until one fails.

    explained: as in `judges.kernel.judge_case`.
    """
    reply = answering_kernel(task, kernel, path)
    trials = kernel_trials(task, seed, rows, explained)
    return judge_trials(task, trials, lambda trial: reply(trial.name, copied(trial.given)), seed, path, whole=False)
