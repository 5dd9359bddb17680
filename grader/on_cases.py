"""An answer on the cases of its task: run in a process of its own, its replies judged."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from grader.emitter.limits import TimeLimit, time_limit
from grader.emitter.replies import answering_kernel
from grader.emitter.values import copied
from grader.judging import judge_answers, judge_trials, not_judged, note_of, replies_in, seconds_to_judge, told_with
from grader.result import Result
from grader.running import run
from grader.trials import trials_of
from grader.trials.kernels import kernel_trials
from haribote.answers.ownership import product_only
from haribote.answers.tasks import Task
from haribote.kernel import Kernel
from haribote.kernel_table import KernelRow
from simulator.messages import tr


def checked(task: Task, path: Path, seed: int) -> Result:
    """As grading does it: the answer replies to all cases in a process of its own; then its replies are judged."""
    with product_only():
        trials = list(trials_of(task, seed))
    outcome = run(task, path, trials)
    if outcome.errors:  # what the answer printed
        print(outcome.errors, end="", file=sys.stderr)
    try:
        with time_limit(seconds := seconds_to_judge(task)):
            result = judge_answers(task, seed, replies_in(outcome.output), path, trials)
    except TimeLimit:
        return not_judged(task, seed, path, tr("it took longer than {seconds:g} s to judge", seconds))
    passed = tr("{cases} of {total} cases pass", result.cases, result.total)
    parts = [passed if result.state == "failed" else result.message, note_of(outcome)]
    result = told_with(result, task, path.read_bytes(), path, outcome)
    return replace(result, message="; ".join(filter(None, parts)))


def check_kernel(
    task: Task, kernel: Kernel, path: Path, seed: int, rows: Iterable[KernelRow] | None = None, explained: bool = True
) -> Result:
    """Check a kernel at hand on the cases of its task's rows of the kernel table, or of these rows, until one fails.

    explained: as in `judges.kernel.judge_case`.
    """
    reply = answering_kernel(task, kernel, path)
    trials = kernel_trials(task, seed, rows, explained)
    return judge_trials(task, trials, lambda trial: reply(trial.name, copied(trial.given)), seed, path, whole=False)
