"""The reports of a run: CSV for a learning platform, JSON for programs, text for a shell; page.py makes the page.

CSV and JSON are in English, what people read is in the language of the moment.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from grader.course import SHORT, course_hash
from grader.grade.coordinator import verdicts_of
from grader.grade.journal import Journal
from grader.grade.judge import Verdict
from grader.grade.twins import Twins, find_twins
from grader.points import RULE
from grader.submissions.learners import Submission, looks
from haribote.answers.tasks import all_tasks
from haribote.words import word
from simulator.columns import columns, left, right
from simulator.messages import shown, tr

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Report:
    """The verdicts on all submissions. verdicts[i]: of submission i, by task. notebooks[i]: lines, by notebook."""

    submissions: Sequence[Submission]
    verdicts: Sequence[Mapping[str, Verdict]]
    seed: int
    notebooks: Sequence[Mapping[str, str]] = ()

    @cached_property
    def twins(self) -> list[Twins]:
        """Submissions that are the same."""
        return find_twins(self.submissions, self.verdicts)

    @property
    def of(self) -> int:
        """The points that there are."""
        return sum(task.points for task in all_tasks())

    def points(self, number: int) -> int:
        """The points of a submission."""
        return sum(int(verdict["points"]) for verdict in self.verdicts[number].values())

    def count(self, number: int, state: str) -> int:
        """How many tasks of a submission are in a state."""
        return sum(verdict["state"] == state for verdict in self.verdicts[number].values())

    def remarks(self, number: int) -> list[str]:
        """What a person should know beside the points."""
        older = self.submissions[number].older
        return self.troubles(number) + ([tr("counts in place of {older}", ", ".join(older[:3]))] if older else [])

    def troubles(self, number: int) -> list[str]:
        """Why the points of a submission may not be its learner's."""
        submission = self.submissions[number]
        same = [s.source for s in self.submissions if looks(s.id) == looks(submission.id) and s is not submission]
        parts = [submission.problem] if submission.problem else []
        parts += [tr("the same name as {same}: whose it is, only you can say", ", ".join(same[:3]))] if same else []
        for state, words in (
            ("trouble", tr("not graded for the grader's own trouble")),
            ("not graded", tr("not graded yet")),
        ):
            tasks = [task for task, verdict in self.verdicts[number].items() if verdict["state"] == state]
            parts += [f"{words}: {', '.join(tasks)}"] if tasks else []
        return parts


def report_of(submissions: Sequence[Submission], journal: Journal, seed: int) -> Report:
    """The report on what the journal knows of these submissions."""
    return Report(submissions, [verdicts_of(submission, journal, seed) for submission in submissions], seed)


def as_csv(report: Report) -> str:
    """One row per submission: id, points, percent, counts, points of every task, remarks."""
    tasks = [task.id for task in all_tasks()]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["id", "submission", "points", "of", "percent", "passed", "failed", *tasks, "remark"])
    for number, submission in enumerate(report.submissions):
        points = report.points(number)
        cells: list[Any] = [_cell(submission.id), _cell(submission.source), points, report.of]
        cells += [f"{100 * points / report.of:.1f}", report.count(number, "passed"), report.count(number, "failed")]
        cells += [
            "" if _absent(report.verdicts[number][task]) else report.verdicts[number][task]["points"] for task in tasks
        ]
        writer.writerow([*cells, _cell("; ".join(report.remarks(number)))])
    return text.getvalue()


def _absent(verdict: Verdict) -> bool:
    return verdict["state"] in ("not started", "not graded")


def _cell(text: str) -> str:
    """A text as a spreadsheet takes it: one that begins like a formula must not become one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_json(report: Report) -> str:
    """Everything, for programs."""
    submissions = []
    for number, submission in enumerate(report.submissions):
        tasks = {
            task: {k: v for k, v in verdict.items() if k != "picture"} for task, verdict in _started(report, number)
        }
        entry = {
            "id": submission.id, "submission": submission.source, "problem": submission.problem,
            "points": report.points(number), "of": report.of, "remark": "; ".join(report.remarks(number)),
            "tasks": tasks,
        }  # fmt: skip
        if report.notebooks:
            entry["notebooks"] = dict(report.notebooks[number])
        submissions.append(entry)
    twins = [{"submissions": [report.submissions[i].source for i in t.members], "what": t.what} for t in report.twins]
    head = {"course": course_hash()[:SHORT], "seed": report.seed, "rule": RULE}
    return json.dumps({**head, "submissions": submissions, "identical": twins}, indent=1) + "\n"


def _started(report: Report, number: int) -> list[tuple[str, Verdict]]:
    return [(task, verdict) for task, verdict in report.verdicts[number].items() if not _absent(verdict)]


def as_text(report: Report) -> str:
    """The class at a glance, for the shell."""
    width = max([columns(submission.id) for submission in report.submissions], default=2)
    points, passed, failed = (word(name) for name in ("points", "passed", "failed"))
    lines = [f"{'':{width}}  {left(points, 8)} {right(passed, 6)} {right(failed, 6)}"]
    for number, submission in enumerate(report.submissions):
        counts = f"{report.count(number, 'passed'):>6} {report.count(number, 'failed'):>6}"
        remark = "; ".join(map(shown, report.remarks(number))).split("\n", 1)[0]
        name = left(submission.id, width)
        lines.append(f"{name}  {report.points(number):>4}/{report.of:<4} {counts}  {remark}".rstrip())
    for twins in report.twins:
        names = ", ".join(report.submissions[member].id for member in twins.members)
        lines.append(tr("the same: {names}: {what}", names, twins.what))
    return "\n".join(lines)
