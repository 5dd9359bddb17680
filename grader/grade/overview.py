"""`grader progress PATH…`: a class at a glance, from learners' folders and archives, without running anything.

A task is known to have passed where the journal of a graded run says so of the same file. In a course's folder, the
learner's own last check counts too (`runs/progress.json`, which a learner can write: it is a claim, not a mark).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from grader.grade.coordinator import graded_as
from grader.grade.journal import NAME, read_verdicts
from grader.grade.judge import Verdict
from grader.progress import Progress
from grader.submissions.submission import Submission, printable, read_submissions
from haribote.answers.tasks import LEVELS, Task, all_tasks
from haribote.errors import HariboteError
from haribote.own.marks import MEDALS
from haribote.words import word
from simulator.columns import columns, left
from simulator.messages import Text, shown, tr

MARKS = {"passed": "✓", "failed": "✗", "claimed": "+", "written": "?", "not started": "·"}
LEGEND = Text("✓ passed  ✗ failed  + passed by the learner's own check  ? written  · not started")
_HEADS = (("done", 5), ("core", 5), ("opt.", 5), ("chal.", 5), ("medals", 6))
"""Words above the numbers, and how many columns these take."""
_LEVELS = Text("core, optional and challenge: how many of each have passed; medals as gold/silver/par")


def overview(paths: Sequence[Path], graded: Path) -> str:
    """One line per learner: marks by stage, how many tasks; then how many learners have each stage behind them.

    It is in the language of the moment.
    """
    known = read_verdicts(graded / NAME)
    won = {(v.get("task", ""), v.get("file")): str(v.get("medal", "")) for v in known.values()}
    submissions = read_submissions(paths, any_version=True)
    states = [_states(submission, known) for submission in submissions]
    stages = [(stage, list(tasks)) for stage, tasks in groupby(all_tasks(), key=lambda task: task.stage)]
    width = max(len("id"), *(columns(printable(submission.id)) for submission in submissions))
    head = "  ".join(f"{stage[:2]:{len(tasks)}}" for stage, tasks in stages)
    lines = [f"{'id':{width}}  {head}  {'  '.join(left(word(head), size) for head, size in _HEADS)}".rstrip()]
    for submission, state in zip(submissions, states, strict=True):
        if submission.problem:
            first = submission.problem.split("\n", 1)[0]
            lines.append(f"{left(printable(submission.id), width)}  {shown(printable(first))}")
            continue
        marks = "  ".join("".join(MARKS[state[task.id]] for task in tasks) for _, tasks in stages)
        done = sum(value in ("passed", "claimed") for value in state.values())
        told = f"{done:>2}/{len(state)}  {_counts(state)}  {_medals(submission, state, won)}"
        lines.append(f"{left(printable(submission.id), width)}  {marks}  {told}")
    readable = [state for submission, state in zip(submissions, states, strict=True) if not submission.problem]
    for stage, tasks in stages:
        counts = [sum(state[task.id] in ("passed", "claimed") for task in tasks) == len(tasks) for state in readable]
        lines.append(
            tr("{stage}: {counts} of {readable} have all {tasks} tasks", stage, sum(counts), len(readable), len(tasks))
        )
    return "\n".join([*lines, shown(LEGEND), shown(_LEVELS)])


def _counts(state: Mapping[str, str]) -> str:
    """How many tasks of each level have passed: `12/30   2/19   0/4`."""
    parts = []
    for level in LEVELS:
        tasks = [task for task in all_tasks() if task.level == level]
        done = sum(state[task.id] in ("passed", "claimed") for task in tasks)
        parts.append(f"{done:>2}/{len(tasks):<3}")
    return " ".join(parts)


def _medals(submission: Submission, state: Mapping[str, str], won: Mapping[tuple[str, object], str]) -> str:
    """`2/1/5`: gold, silver and par, of answers that were graded."""
    passed = [task for task in submission.files if state.get(task) == "passed"]
    medals = [won.get((task, graded_as(submission, task)), "") for task in passed]
    return "/".join(str(medals.count(medal)) for medal in reversed(MEDALS))


def _states(submission: Submission, known: Mapping[str, Verdict]) -> dict[str, str]:
    by_file = {(v.get("task", ""), v.get("file")): str(v["state"]) for v in known.values()}
    progress = _own_progress(submission.path) if submission.path and not submission.problem else None
    return {task.id: _state(task, submission, by_file, progress) for task in all_tasks()}


def _state(
    task: Task, submission: Submission, by_file: Mapping[tuple[str, object], str], progress: Progress | None
) -> str:
    if task.id not in submission.files:
        return "not started"
    found = by_file.get((task.id, graded_as(submission, task.id)))
    if found in ("passed", "failed", "not started"):
        return found
    try:
        claimed = progress is not None and progress.state(task) == "passed"
    except (HariboteError, OSError, ValueError, KeyError, TypeError, AttributeError):  # not what `check` writes
        claimed = False
    return "claimed" if claimed else "written"


def _own_progress(root: Path) -> Progress | None:
    """What the learner's own checks have found; None for an archive, or where it is not a plain small file."""
    path = root / "runs" / "progress.json"
    plain = root.is_dir() and path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
    return Progress(root) if plain and path.stat().st_size < 1 << 20 else None
