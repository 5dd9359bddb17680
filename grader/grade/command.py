"""The commands of those who hand in and of those who grade: `grader submit | grade | progress | board`."""

from __future__ import annotations

import argparse
import getpass
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from grader.course import SHORT, course_hash
from grader.points import RULE
from grader.sandbox.limits import SUBMISSION
from grader.submissions.leftout import left_out
from grader.submissions.submission import pack
from haribote.answers.tasks import ROOT, all_tasks, find_task
from haribote.errors import HariboteError
from simulator.console import seed
from simulator.files import write_file
from simulator.messages import say, tr

Add = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]

RUN = Path("runs/grade")
FINAL_SEED = 2012  # of `check --final`: everybody has the same values, and knows them, so that no mark rests on it


_LIMIT = tr("of one submission, all its answers together (default: {submission:g})", SUBMISSION)


def add_commands(add: Add) -> None:
    """Add the commands to the command line of `grader`."""
    handed = add("submit", _submit, tr("pack all answers that are written into one archive for your instructor"))
    handed.add_argument(
        "--id", help=tr("who you are, as your instructor knows you (default: your name on this machine)")
    )
    handed.add_argument("-o", "--output", type=Path, metavar="FILE", help="(default: ID.haribote.zip)")
    graded = add("grade", _grade, tr("grade many submissions: archives, courses' folders, or folders of them"))
    graded.epilog = tr(
        "{rule} Answers run in a sandbox; a run that was stopped goes on when the command is given again.", RULE
    )
    graded.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=tr("an archive or a folder"))
    graded.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help=tr("of journal and reports (default: {run})", RUN)
    )
    graded.add_argument("--task", action="append", metavar="TASK", help=tr("grade this task again, and no other"))
    graded.add_argument(
        "--seed", type=seed, help=tr("of the random values (default: a private one, kept in the journal)")
    )
    graded.add_argument("--final", action="store_true", help=tr("with a new private seed, whatever the journal has"))
    graded.add_argument("--workers", type=int, metavar="N", help=tr("processes (default: one per core)"))
    graded.add_argument("--limit", type=float, metavar="SECONDS", default=SUBMISSION, help=_LIMIT)
    graded.add_argument("--cluster", metavar="ADDRESS", help=tr("take the workers of this Dask cluster instead"))
    graded.add_argument(
        "--any-version", action="store_true", help=tr("take archives of other versions of the course too")
    )
    graded.add_argument("--no-cache", action="store_true", help=tr("run and judge everything anew"))
    graded.add_argument("--unsafe", action="store_true", help=tr("without a sandbox: only for answers that you trust"))
    text = tr("run a training step of both networks with every whole compiler too, for the board (no marks)")
    graded.add_argument("--networks", action="store_true", help=text)
    graded.add_argument(
        "--notebooks", action="store_true", help=tr("run our notebooks with every submission too (no marks)")
    )
    graded.add_argument(
        "--notebook", action="append", metavar="NAME", help=tr("this one only, such as 01_graphs/01_trace")
    )
    seen = add("progress", _progress, tr("a class at a glance, without running anything"))
    seen.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=tr("an archive or a folder"))
    seen.add_argument("--graded", type=Path, metavar="FOLDER", help=tr("of a run of `grade` (default: {run})", RUN))
    best = add("board", _board, tr("the shortest programs of a room, from graded submissions: text, and a page"))
    best.add_argument("paths", metavar="PATH", nargs="+", type=Path, help=tr("an archive or a folder"))
    best.add_argument("--graded", type=Path, metavar="FOLDER", help=tr("of a run of `grade` (default: {run})", RUN))
    best.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help=tr("of the page (default: board.html beside it)")
    )


def _user() -> str:
    """The name of whoever runs this. Raises HariboteError where the system knows none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError) as error:  # no entry in the passwd file, as in some containers
        raise HariboteError(tr("the system does not know your name"), "--id NAME") from error


def _submit(options: argparse.Namespace) -> int:
    learner = options.id or _user()
    content = pack(learner)
    path = options.output or Path(f"{''.join(c if c.isalnum() or c in '-_.@' else '_' for c in learner)}.haribote.zip")
    write_file(path, content)
    from grader.submissions.submission import read_archive

    _, files = read_archive(content)
    missing = [task.id for task in all_tasks() if task.id not in files]
    say(
        tr(
            "{path}: {files} of {all_tasks} tasks, for {learner} (course {course_hash})",
            path=path,
            files=len(files),
            all_tasks=len(all_tasks()),
            learner=learner,
            course_hash=course_hash()[:SHORT],
        )
    )
    say(tr("not written: {missing}", ", ".join(missing)) if missing else tr("every task is written"))
    lacking = left_out()
    for line in lacking:
        say(line)
    if lacking:
        say(tr("these answers will not be graded as you see them here: `grader check TASK` says what fails"))
    return 0


def _grade(options: argparse.Namespace) -> int:
    from grader.grade.run import SEEDS, GradeOptions, grade

    tasks = tuple(find_task(name) for name in options.task or ())
    if options.workers is not None and options.workers < 1:
        message = tr("--workers must be at least 1, received {workers}", options.workers)
        raise HariboteError(message, "--workers 1")
    if not options.limit > 0:
        message = tr("--limit must be above 0 seconds, received {limit:g}", options.limit)
        raise HariboteError(message, "--limit 900")
    if options.final and options.seed is not None:
        message = tr("--final draws a private seed, and --seed names one")
        raise HariboteError(message, tr("leave one of the two away"))
    if options.seed == FINAL_SEED:
        public = tr("seed {seed} is that of `check --final`: its values are public", FINAL_SEED)
        raise HariboteError(public, tr("without --seed, a private one is drawn"))
    workers = options.workers or os.cpu_count() or 1
    chosen_seed = secrets.randbelow(SEEDS) if options.final else options.seed
    chosen = GradeOptions(
        output=options.output or ROOT / RUN, again=tasks, seed=chosen_seed, workers=workers, limit=options.limit,
        cluster=options.cluster, any_version=options.any_version, cached=not options.no_cache, unsafe=options.unsafe,
        networks=options.networks, notebooks=options.notebooks or bool(options.notebook),
        lessons=tuple(options.notebook or ()),
    )  # fmt: skip
    return grade(options.paths, chosen, say)


def _board(options: argparse.Namespace) -> int:
    from grader.grade.board import as_page, board

    graded = options.graded or ROOT / RUN
    made, path = board(options.paths, graded), options.output or graded / "board.html"
    write_file(path, as_page(made).encode())
    say(made)
    say(tr("page: {path}", path))
    return 0


def _progress(options: argparse.Namespace) -> int:
    from grader.grade.overview import overview

    say(overview(options.paths, options.graded or ROOT / RUN))
    return 0
