"""A run of `grader grade`, from the paths to the reports."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from grader.grade.coordinator import Progress, run, work_key, work_list
from grader.grade.executors import Crew, cluster_crew, local_crew
from grader.grade.journal import NAME, Journal
from grader.grade.judge import Verdict
from grader.grade.notebooks import check_names, run_notebooks
from grader.grade.page import as_page
from grader.grade.report import Report, as_csv, as_json, as_text, report_of
from grader.grade.steps import step_one, step_work, what_failed
from grader.grade.work import Work, grade_one
from grader.sandbox import find_sandbox
from grader.sandbox.limits import SUBMISSION
from grader.sandbox.tree import course_tree
from grader.submissions.submission import read_submissions
from haribote.answers.tasks import Task, all_tasks
from haribote.errors import HariboteError
from haribote.network import NETWORKS
from simulator.engine import native
from simulator.files import write_file
from simulator.messages import tr

SEEDS = 10**9  # a private seed is below this


@dataclass(frozen=True)
class GradeOptions:
    """How to grade. output: folder of journal and reports. again: tasks to be graded anew; none: what is missing.

    seed: of the random values; None: the journal's, or a new one that nobody knows before. lessons: of the notebooks
    only these. limit: seconds of one submission, for all its answers together.

    networks: run the training steps of whole compilers too.
    """

    output: Path
    again: tuple[Task, ...] = ()
    seed: int | None = None
    workers: int = 1
    cluster: str | None = None
    any_version: bool = False
    cached: bool = True
    limit: float = SUBMISSION
    unsafe: bool = False
    networks: bool = False
    notebooks: bool = False
    lessons: tuple[str, ...] = ()


def grade(paths: Sequence[Path], options: GradeOptions, say: Callable[[str], object], crew: Crew | None = None) -> int:
    """Grade, write the reports, show the class. The status: 1 where a submission is unreadable or we had trouble.

    crew: workers of another kind. Raises HariboteError where there is no sandbox, nothing to grade, or no room.
    """
    if options.unsafe and options.notebooks:
        raise HariboteError(tr("notebooks are run in the sandbox only"), tr("leave --notebooks or --unsafe away"))
    if options.unsafe and options.networks:
        raise HariboteError(tr("steps are compiled in the sandbox only"), tr("leave --networks or --unsafe away"))
    if options.unsafe:
        say(tr("WITHOUT A SANDBOX: the answers run as you, and can do whatever you can"))
    else:
        _require_sandbox()
    if options.lessons:
        check_names(options.lessons)
    submissions = read_submissions(paths, options.any_version)
    tasks = options.again or all_tasks()
    for task in tasks:  # once, before the workers want them
        course_tree(task)
    native.available()
    with Journal(options.output) as journal:
        if journal.damaged:
            lines = ", ".join(map(str, journal.damaged))
            say(tr("{value}: damaged in line {lines}; what stood there is graded again", options.output / NAME, lines))
        seed = _seed(options.seed, journal)
        if options.again:
            keys = [work_key(s, t.id, seed) for s in submissions for t in tasks if t.id in s.files]
            journal.forget(keys)
        journal.forget([key for key, verdict in journal.verdicts.items() if verdict["state"] == "trouble"])
        works = list(work_list(submissions, tasks, seed, options.unsafe, options.cached and not options.again))
        if crew is None:
            crew = cluster_crew(options.cluster) if options.cluster else local_crew(options.workers)
        left = sum(work.key not in journal.verdicts for work in works)
        some, many = len(submissions), len(works)
        before = tr("{value} graded before; seed {seed}; {name}", many - left, seed, crew.name)
        s, s2 = "s" * (some != 1), "s" * (many != 1)
        say(tr("{some} submission{s}, {many} answer{s2}, {before}", some, s, many, s2, before))
        _run(works, journal, crew, left, options.limit, say)
        report = report_of(submissions, journal, seed)
        if options.networks:
            steps = list(step_work(submissions, report.verdicts, seed, options.cached))
            left = sum(work.key not in journal.verdicts for work in steps)
            say(tr("training steps of {count} whole compilers", len(steps) // len(NETWORKS)))
            _run(steps, journal, crew, left, options.limit, say, step_one)
            for line in what_failed(steps, journal):
                say(line)
    if options.notebooks:
        report = replace(report, notebooks=run_notebooks(submissions, options.workers, say, options.lessons))
    _write(report, options.output)
    say(as_text(report))
    reports = (options.output / name for name in ("report.html", "report.csv", "report.json"))
    say(tr("reports: {reports}", ", ".join(map(str, reports))))
    sound = all(not report.troubles(number) for number in range(len(submissions)))
    return 0 if sound else 1


def _seed(wanted: int | None, journal: Journal) -> int:
    """The seed of this run, kept in the journal: a private one, so that no answer can have been made for it."""
    seed = wanted if wanted is not None else journal.seed
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    journal.keep_seed(seed)
    return seed


def _run(
    works: Sequence[Work], journal: Journal, crew: Crew, left: int, limit: float, say: Callable[[str], object],
    grade: Callable[[Any], Verdict] = grade_one,
) -> Progress:  # fmt: skip
    try:
        with tqdm(total=left, unit=tr("answer"), disable=None, file=sys.stderr, leave=False) as bar:
            return run(works, journal, crew, lambda progress: bar.update(progress.done - bar.n), grade, limit)
    except KeyboardInterrupt:
        say(tr("stopped; {verdicts} verdicts are kept, and the same command goes on from there", len(journal.verdicts)))
        raise


def _require_sandbox() -> None:
    try:
        find_sandbox()
    except HariboteError as error:
        advice = tr("{try_}; or, for answers that you trust, --unsafe", error.try_)
        raise HariboteError(error.message, advice) from error


def _write(report: Report, folder: Path) -> None:
    write_file(folder / "report.csv", as_csv(report).encode("utf-8-sig"))
    write_file(folder / "report.json", as_json(report).encode())
    write_file(folder / "report.html", as_page(report).encode())
