"""`check("5.12")`: run all cases of a task on the answer as it is on disk now, and say what is wrong with it."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grader.credits import credit, told
from grader.feedback.failure import Failure
from grader.progress import Progress
from grader.result import Result
from grader.unfinished import unfinished, unwritten
from haribote.answers.ownership import answer_file
from haribote.answers.tasks import ROOT, Task, find_task, path_shown
from haribote.answers.verdicts import remember
from simulator.errors import reason_of
from simulator.messages import tr

if TYPE_CHECKING:
    from grader.debugger.debugged import Debugged


def check(task: str, *, path: Path | None = None, seed: int | None = None, keep: bool = True) -> Result:
    """Check the answer to a task: the learner's file, or with HARIBOTE_SOLUTIONS=1 the course's own answer.

    path: another file with an answer. seed: of the random values; a fresh one by default. keep: record what is found of
    the learner's own file in their progress, for `grader list` and for runs that take kernels where they pass. Raises
    UnknownTask.
    """
    found, start, own = find_task(task), time.monotonic(), path is None
    path = path or answer_file(found, root=ROOT)
    seed = secrets.randbelow(10**6) if seed is None else seed
    result = _unread(found, path, seed) or _run(found, path, seed)
    reference = path == answer_file(found, solutions=True, root=ROOT)
    if result.state != "not started":
        remember(path, result.state)
    debugger = partial(_debugged, found.id, path, seed)
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
        return Result(
            task.id, task.title, "not started", 0, task.points, path_shown(path), unwritten(task, path), seed=seed
        )
    except OSError as error:
        failure = Failure(
            tr("loading the file"), "", tr("{path}: cannot be read: {strerror}", path_shown(path), reason_of(error))
        )
        return Result(task.id, task.title, "failed", 0, task.points, path_shown(path), "", seed=seed, failure=failure)


def _run(task: Task, path: Path, seed: int) -> Result:
    """The verdict on all cases."""
    from grader.on_cases import checked  # what only runs of answers take

    return checked(task, path, seed)


def _debugged(task: str, path: Path, seed: int, failure: Failure | None, budget: int | None) -> Debugged:
    from grader.debugger.debug import debug

    return debug(task, path, seed, failure, budget)
