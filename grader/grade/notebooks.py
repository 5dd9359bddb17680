"""`grade --notebooks`: our own copies of the notebooks run with every submission's answers; no marks come from it.

What a learner did to their notebooks does not matter. They run in the sandbox, with short training and a time limit per
cell, and a line says "ran" or where it failed; a cell that prints something else than with the solutions has failed.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from grader.grade.cache import Cache
from grader.sandbox import Limits, Outcome, Sandbox, find_sandbox
from grader.sandbox.tree import COURSE, lesson_tree
from grader.submissions.submission import Submission, printable
from haribote.answers.tasks import find_task
from haribote.data.dataset import load
from haribote.errors import HariboteError
from simulator import Machine
from simulator.cache import cache_folder
from simulator.messages import Text, tr

CELL_SECONDS = 60
CACHE = "/cache"  # of what takes long to build and does not depend on the learner
LIMITS = Limits(seconds=300, memory=3 << 30, processes=256, disk=1 << 30, output=16 << 20)
_SETTINGS = (
    "HARIBOTE_SHORT=1",
    "PYTHONPATH=/tmp/course",
    "JUPYTER_PLATFORM_DIRS=1",
    "MPLBACKEND=agg",
    "NO_COLOR=1",
    "COLUMNS=200",
)
_CELL = re.compile(r"::Cell (\d+) (PASSED|FAILED|ERROR|SKIPPED|XFAIL)")
_REASONS = (
    ("Timeout", tr("it took longer than {cell_seconds} s", CELL_SECONDS)),
    ("output mismatch", Text("it printed something else than with the solutions")),
    ("caused an exception", Text("it raised an error")),
)


@dataclass(frozen=True)
class Lesson:
    """A notebook to be run with a submission."""

    submission: Submission
    notebook: str


def notebook_names() -> list[str]:
    """Our notebooks: `01_graphs/01_trace`; translations, whose code is the same, are left out."""
    folder = lesson_tree() / "notebooks"
    names = (path.relative_to(folder).with_suffix("").as_posix() for path in folder.glob("[0-9]*/*.ipynb"))
    return sorted(name for name in names if "." not in name)


def check_names(names: Sequence[str]) -> None:
    """Raise HariboteError for a name that no notebook has."""
    known = notebook_names()
    for name in names:
        if name not in known:
            raise HariboteError(tr("there is no notebook {name!r}", name), tr("one of {known}", ", ".join(known)))


def run_notebooks(
    submissions: Sequence[Submission], workers: int, say: Callable[[str], object], names: Sequence[str] = ()
) -> list[dict[str, str]]:
    """For every submission a line per notebook: "ran", "failed at cell 5: …". names: only these."""
    names = names or notebook_names()
    Machine("native")  # built once, for all; and so are the digits
    load("synthetic")
    readable = [submission for submission in submissions if submission.files]
    n, some = len(names), len(readable)
    say(
        tr("{n} notebook{s} with each of {some} submission{s2}", n=n, s="s" * (n != 1), some=some, s2="s" * (some != 1))
    )
    with ThreadPoolExecutor(workers) as pool:
        lessons = [Lesson(submission, name) for submission in readable for name in names]
        lines = list(pool.map(run_notebook, lessons))
    found = {(id(lesson.submission), lesson.notebook): line for lesson, line in zip(lessons, lines, strict=True)}
    return [{name: found[id(s), name] for name in names if (id(s), name) in found} for s in submissions]


def run_notebook(lesson: Lesson) -> str:
    """Run one notebook with one submission; one line."""
    cache = Cache()
    content = (lesson_tree() / "notebooks" / f"{lesson.notebook}.ipynb").read_bytes()
    key = ("notebook", hashlib.sha256(content).hexdigest(), lesson.submission.digest)
    known = cache.get(*key)
    if known:
        return str(known["line"])
    line = line_of(run(lesson))
    cache.put({"line": line}, *key)
    return line


def run(lesson: Lesson) -> Outcome:
    """The outcome of pytest on a copy of the course with the submission's answers."""
    kept = {f"{CACHE}/{path.name}": path for name in ("engine-*", "synthetic-*") for path in cache_folder().glob(name)}
    mounts = {COURSE: lesson_tree(), **kept}
    box = Sandbox(mounts, "/tmp", find_sandbox().bwrap, filtered=False)
    files = {f"{COURSE}/haribote/{find_task(t).file}": content for t, content in lesson.submission.files.items()}
    test = f"{sys.executable} -s -m pytest -v --tb=short -p no:cacheprovider --nbval-lax --nbval-current-env"
    test += f" --nbval-cell-timeout={CELL_SECONDS} --rootdir=notebooks notebooks/{lesson.notebook}.ipynb"
    script = "mkdir -p /tmp/.cache/haribote" + (f" && cp {CACHE}/* /tmp/.cache/haribote" if kept else "")
    script += f" && cp -a {COURSE} /tmp/course && cd /tmp/course && export {' '.join(_SETTINGS)} && exec {test}"
    return box.run(["/bin/sh", "-c", script], files=files, limits=LIMITS)


def line_of(outcome: Outcome) -> str:
    """What happened, in one line; nothing that a notebook prints is in it."""
    text = outcome.output.decode("utf-8", "replace")
    cells = _CELL.findall(text)
    failed = next((number for number, state in cells if state in ("FAILED", "ERROR")), None)
    if outcome.stopped:
        if cells:
            return tr("failed after cell {cells}: {stopped}", cells[-1][0], outcome.stopped)
        return f"failed: {outcome.stopped}"
    if failed is not None:
        reason = next((words for sign, words in _REASONS if sign in text), "")
        return tr("failed at cell {failed}", failed) + (f": {reason}" if reason else "")
    if outcome.status == 0 and cells:
        return "ran"
    return printable(tr("did not start (status {status}): {strip}", outcome.status, outcome.errors.strip()[-200:]))
