"""`grader board PATH…`: the shortest right answers of a room, task by task, the shortest whole compilers and the
training steps with the fewest cycles, for the shell and as a page for the wall.

It is made from submissions and from the journal of a graded run, without a network, and shows costs and names only:
nothing of an answer can be seen in it. Of equal costs the one that was handed in first stands first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from grader.grade.compilers import whole_compilers
from grader.grade.coordinator import graded_as
from grader.grade.html_page import html_page
from grader.grade.journal import NAME, read_verdicts
from grader.grade.judge import Verdict
from grader.medals import RULE, medal_of
from grader.submissions.submission import Submission, printable, read_submissions
from haribote.answers.tasks import Task, all_tasks
from haribote.errors import HariboteError
from haribote.own.marks import MARKS, MEDALS
from haribote.words import word
from simulator.columns import left
from simulator.messages import shown, tr

TOP = 3  # places that are shown of a task
_STYLE = """
:root { color-scheme: light dark; --line: #8884; }
body { background: Canvas; color: CanvasText;
  font: 18px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 64rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td small { opacity: .75; } .gold { font-weight: 700; }
"""


@dataclass(frozen=True, order=True)
class Entry:
    """A right answer. score: steps and MV of all its shapes, lines, or cycles. made: when it was handed in; the text
    sorts. level: of the compiler, such as `-O1`, where its programs are meant.
    """

    score: int
    made: str
    learner: str
    medal: str = ""
    level: str = ""

    @property
    def told(self) -> str:
        """The score as it is shown."""
        return " ".join(filter(None, (f"{self.score:,}" if self.level else str(self.score), self.level)))

    def __str__(self) -> str:
        return f"{self.learner} {self.told}{f' ({word(self.medal)})' if self.medal else ''}"


@dataclass(frozen=True)
class Board:
    """The right answers of every task that has any, the shortest first. waiting: answers that are not graded yet.

    compilers: of everybody who has passed all parts of the small network's, by the lines of their own. steps: of each
    network by its name the training steps that these compile, by their cycles, where `grade --networks` has run them.

    As text and as a page it is in the language of the moment.
    """

    entries: Mapping[Task, Sequence[Entry]]
    waiting: int
    compilers: Sequence[Entry] = ()
    steps: Mapping[str, Sequence[Entry]] = field(default_factory=dict)

    @property
    def rows(self) -> Iterator[tuple[str, Sequence[Entry]]]:
        """A name and its entries: the whole compilers and what they compile, if there are any, then task by task."""
        if self.compilers:
            yield tr("the whole compiler, in lines of one's own"), self.compilers
        for network, steps in self.steps.items():
            yield tr("{network}, in cycles of a step", MARKS[network].network), steps
        for task, entries in self.entries.items():
            yield f"{task.id:<5} {shown(task.title)}", entries

    def __str__(self) -> str:
        lines = []
        for name, entries in self.rows:
            places = ", ".join(f"{place}. {entry}" for place, entry in ranked(entries))
            rest = f", {_rest(entries)}" if _rest(entries) else ""
            lines.append(f"{left(name, 32)} {places}{rest}")
        lines += self.rules
        return "\n".join([*lines, *([self.note] if self.note else [])])

    @property
    def rules(self) -> list[str]:
        """What the medals are given for."""
        steps = [
            tr(
                "{network}: gold {gold:,} cycles, silver {silver:,}, par {par:,}; no medal is worth points.",
                mark.network,
                mark.gold,
                mark.silver,
                mark.par,
            )
            for mark in (MARKS[name] for name in self.steps)
        ]
        return [shown(RULE), *steps]

    @property
    def note(self) -> str:
        """What is missing, and what to do about it; "" where nothing is."""
        missing = []
        if self.waiting:
            some = "s" * (self.waiting != 1)
            text = tr("{waiting} answer{s} not graded yet: `grader grade` with the same folders", waiting=self.waiting,
                      s=some)  # fmt: skip
            missing.append(text)
        if self.compilers and not self.steps:
            missing.append(tr("what these compilers compile: `grader grade --networks` with the same folders"))
        return "; ".join(missing)


def board(paths: Sequence[Path], graded: Path) -> Board:
    """The board of the submissions in these places. graded: the folder of a run of `grade`.

    Raises HariboteError where none of the answers that are counted in steps has been graded.
    """
    known = {(v.get("task"), v.get("file")): v for v in read_verdicts(graded / NAME).values()}
    made = _entries(read_submissions(paths, any_version=True), known)
    if made.waiting and not (made.entries or made.steps):
        raise HariboteError(
            tr("no right answer is graded in {graded}", graded), tr("`grader grade PATH` first, or --graded FOLDER")
        )
    return made


def _entries(submissions: Sequence[Submission], known: Mapping[tuple[object, object], Verdict]) -> Board:
    entries: dict[Task, list[Entry]] = {}
    waiting = 0
    for task in (task for task in all_tasks() if task.gold):
        for submission in submissions:
            if task.id in submission.files:
                verdict = known.get((task.id, graded_as(submission, task.id)))
                waiting += verdict is None
                entry = _entry(task, submission, verdict) if verdict and verdict["state"] == "passed" else None
                if entry:
                    entries.setdefault(task, []).append(entry)
    passed = {(str(task), str(file)) for (task, file), verdict in known.items() if verdict["state"] == "passed"}
    whole = [
        Entry(lines, one.made, printable(one.id), medal) for lines, medal, one in whole_compilers(submissions, passed)
    ]
    return Board({task: sorted(found) for task, found in entries.items()}, waiting, whole, _steps(submissions, known))


def _steps(submissions: Sequence[Submission], known: Mapping[tuple[object, object], Verdict]) -> dict[str, list[Entry]]:
    """Of each network the steps of the submissions that were run and are right, each at its best level."""
    found: dict[str, list[Entry]] = {}
    for name, marks in MARKS.items():
        for one in submissions:
            try:
                costs = {str(level): int(cycles) for level, (cycles, _) in known[name, one.digest]["costs"].items()}
            except (KeyError, TypeError, ValueError):  # not run, or the journal does not say it
                continue
            if costs:
                level = min(costs, key=lambda it: costs[it])
                medal = marks.medal(costs[level])
                found.setdefault(name, []).append(Entry(costs[level], one.made, printable(one.id), medal, level))
    return {name: sorted(entries) for name, entries in found.items()}


def _entry(task: Task, submission: Submission, verdict: Verdict) -> Entry | None:
    """What a right answer costs; None where the journal does not say it."""
    try:
        costs = [(int(score), int(par)) for score, par in verdict["costs"].values()]
    except (TypeError, ValueError):
        return None
    if not costs:
        return None
    return Entry(sum(score for score, _ in costs), submission.made, printable(submission.id), medal_of(task, costs))


def ranked(entries: Sequence[Entry]) -> list[tuple[int, Entry]]:
    """The first places; equal costs have the same place, in the order in which they were handed in."""
    scores = [entry.score for entry in entries]
    return [(scores.index(entry.score) + 1, entry) for entry in entries[:TOP]]


def _rest(entries: Sequence[Entry]) -> str:
    """What stands behind the first places: `and 2 more`."""
    return tr("and {value} more", len(entries) - TOP) if len(entries) > TOP else ""


def as_page(made: Board) -> str:
    """The board as one page of HTML that needs nothing else, large enough for a wall."""
    title, places = tr("The shortest programs"), "".join(f"<th>{place}.</th>" for place in range(1, TOP + 1))
    parts = [
        f"<table><thead><tr><th>{tr('task')}</th>{places}<td></td></tr></thead>",
        "<tbody>",
        *(line for name, entries in made.rows for line in _row(name, entries)),
        "</tbody></table>",
        *(f"<p><small>{escape(rule)}</small></p>" for rule in made.rules),
        f"<p>{escape(made.note)}</p>",
    ]
    return html_page(title, _STYLE, parts)


def _row(name: str, entries: Sequence[Entry]) -> Iterator[str]:
    yield f"<tr><td>{escape(' '.join(name.split()))}</td>"
    for _, entry in ranked(entries):
        kind = entry.medal if entry.medal in MEDALS else ""
        yield f'<td class="{kind}">{escape(entry.learner)}<br>{entry.told} <small>{word(kind)}</small></td>'
    yield "<td></td>" * (TOP - len(entries)) + f"<td><small>{_rest(entries)}</small></td></tr>"
