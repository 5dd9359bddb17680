"""The report for people: one page of HTML that needs nothing else. Whatever comes from a submission is only text in it.

Pictures are images, which cannot run anything.
Verdicts are in English; the page is in the language of the moment.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby
from pathlib import Path

from grader.course import SHORT, course_hash
from grader.grade.html_page import html_page
from grader.grade.judge import Verdict
from grader.grade.own_lines import own_lines
from grader.grade.report import Report
from grader.grade.task_table import by_task
from grader.points import RULE
from haribote.answers.tasks import Task, all_tasks, find_task
from haribote.words import word
from simulator.messages import Text, shown, tr

_TEXT = re.compile(r"(<(?:text|title)\b[^>]*>)([^<]+)<")
_MARKS = {
    "passed": "✓",
    "failed": "✗",
    Text("not started"): "·",
    "generated": "≈",
    "trouble": "!",
    Text("not graded"): "?",
}
_TASK_HEADS = ("task", Text("handed in"), "right", "medals", Text("commonest cause of the others"))
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --part: #9a6700; --bad: #cf222e; --idle: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --part: #d29922; --bad: #ff7b72; --idle: #8b949e; } }
body { background: Canvas; color: CanvasText;
  font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 78rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 6px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
.class { max-height: 80vh; overflow: auto; }
.class thead :is(th, td) { position: sticky; top: 0; height: 1.6rem; background: Canvas; z-index: 1; }
.class thead tr + tr th { top: calc(1.6rem + 5px); }
.class thead :first-child { z-index: 2; }
.class th.stage { text-align: left; } .class .begins { border-left: 1px solid var(--line); }
.tasks td.text { text-align: left; white-space: normal; } .tasks th:nth-child(n+3) { text-align: left; }
.rate { display: inline-block; width: 6rem; height: .6rem; border-radius: .3rem; background: var(--line); }
.rate i { display: block; height: 100%; border-radius: .3rem; background: var(--good); }
.beside { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; margin-left: 1.2rem; }
.beside pre { flex: 1 1 32rem; margin: 0; max-height: 32rem; overflow: auto; white-space: pre; }
.beside img { flex: 0 1 auto; max-width: 100%; margin: 0; }
mark { background: #f5c24266; color: inherit; }
.passed { color: var(--good); } .over { color: var(--part); } .failed { color: var(--bad); }
.trouble, .problem { color: var(--bad); font-weight: 600; } .idle { color: var(--idle); }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; } summary { cursor: pointer; }
details details { margin-left: 1.2rem; border: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0 .6rem 1.2rem; font-size: 13px; }
img { max-width: calc(100% - 1.2rem); margin-left: 1.2rem; }
"""


def as_page(report: Report) -> str:
    """The whole page."""
    count = len(report.submissions)
    title = tr("{count} submission{s}", count, "s" * (count != 1))
    head = f"{tr('course {course_hash}, seed {seed}.', course_hash()[:SHORT], report.seed)} {shown(RULE)}"
    parts = [
        f"<p>{escape(head)}</p>",
        *_class_table(report),
        *_task_table(report),
        *_twins(report),
        f"<h2>{tr('Each submission')}</h2>",
    ]
    for number in range(count):
        parts += _details(report, number)
    return html_page(title, _STYLE, parts)


def _class_table(report: Report) -> Iterator[str]:
    tasks = all_tasks()
    stages = [(stage, len(list(group))) for stage, group in groupby(tasks, key=lambda task: task.stage)]
    yield '<div class="class"><table><thead><tr><td></td><td></td>'
    yield "".join(f'<th class="stage begins" colspan="{count}">{escape(stage)}</th>' for stage, count in stages)
    yield f"</tr><tr><th>id</th><th>{tr('points')}</th>"
    for task in tasks:
        told = escape(tr("{title}, {level}, {points} points", task.title, word(task.level), task.points))
        yield f'<th class="{_begins(task)}" title="{told}">{task.id}</th>'
    yield "</tr></thead><tbody>"
    for number, submission in enumerate(report.submissions):
        name = f'<a href="#s{number}">{escape(submission.id)}</a>'
        cells = "".join(_cell(report.verdicts[number][task.id], _begins(task)) for task in tasks)
        if submission.problem:
            cells = f'<td class="problem" colspan="{len(tasks)}" style="text-align:left">{tr("unreadable")}</td>'
        yield f"<tr><td>{name}</td><td>{report.points(number)}/{report.of}</td>{cells}</tr>"
    yield "</tbody></table></div>"


def _begins(task: Task) -> str:
    """The class of a cell with which a stage begins."""
    return "begins" if next(other for other in all_tasks() if other.stage == task.stage) == task else ""


def _task_table(report: Report) -> Iterator[str]:
    """What the class found hard: for every task that somebody has handed in its rate and the commonest cause."""
    task, handed, right, medals, cause = (word(head) for head in _TASK_HEADS)
    yield f'<h2>{tr("Each task")}</h2><div class="wide tasks"><table><thead><tr><th>{task}</th><th>{handed}</th>'
    yield f'<th colspan="2">{right}</th><th>{medals}</th><th>{cause}</th></tr></thead><tbody>'
    for found in by_task(report.verdicts):
        if found.handed:
            bar = f'<span class="rate"><i style="width:{100 * found.rate:.0f}%"></i></span>'
            yield f"<tr><td>{found.task.id} {escape(shown(found.task.title))}</td><td>{found.handed}</td>"
            yield f"<td>{100 * found.rate:.0f} %</td><td>{bar}</td><td>{escape(found.medals_told)}</td>"
            yield f'<td class="text">{escape(found.commonest)}</td></tr>'
    yield "</tbody></table></div>"


def _cell(verdict: Verdict, begins: str) -> str:
    state = str(verdict["state"])
    kind = _kind(verdict)
    text = verdict["points"] if kind in ("passed", "over", "failed") else _MARKS.get(state, "?")
    told = escape(", ".join(word(name) for name in (state, str(verdict.get("medal") or "")) if name))
    return f'<td class="{kind} {begins}" title="{told}">{text}</td>'


def _kind(verdict: Verdict) -> str:
    state = str(verdict["state"])
    if state == "passed":
        return "passed" if verdict["points"] == verdict["of"] else "over"
    return "over" if state == "generated" else state if state in ("failed", "trouble") else "idle"


def _twins(report: Report) -> Iterator[str]:
    if not report.twins:
        return
    yield f"<h2>{tr('Alike')}</h2><ul>"
    for twins in report.twins:
        names = ", ".join(f'<a href="#s{i}">{escape(report.submissions[i].id)}</a>' for i in twins.members)
        yield f"<li>{names}: {escape(shown(twins.what))}</li>"
    yield "</ul>"


def _details(report: Report, number: int) -> Iterator[str]:
    submission = report.submissions[number]
    remark = "; ".join(map(shown, report.remarks(number)))
    points = tr("{number} of {of} points", report.points(number), report.of)
    yield f'<details id="s{number}"><summary><b>{escape(submission.id)}</b> {points}'
    yield f' <span class="idle">{escape(submission.source)}</span></summary>'
    if remark:
        yield f'<pre class="problem">{escape(remark)}</pre>'
    for task, verdict in report.verdicts[number].items():
        if verdict["state"] not in ("not started", "not graded"):
            yield from _task(task, verdict, submission.files.get(task, b""))
    if report.notebooks:
        lines = "\n".join(f"{name}: {shown(line)}" for name, line in report.notebooks[number].items())
        yield f"<details><summary>{tr('notebooks (no marks)')}</summary><pre>{escape(lines)}</pre></details>"
    yield "</details>"


def _task(task: str, verdict: Verdict, content: bytes) -> Iterator[str]:
    state = str(verdict["state"])
    told = [word(state), tr("{verdict} of {verdict2} points", verdict["points"], verdict["of"])]
    told += [tr("{verdict} of {verdict2} cases", verdict["cases"], verdict["total"])] if verdict["total"] else []
    told += [word(str(verdict["medal"]))] if verdict.get("medal") else []
    line = f"{_MARKS.get(state, '?')} {task} {shown(find_task(task).title)}: {', '.join(told)}"
    yield f'<details{" open" if state != "passed" else ""}><summary class="{_kind(verdict)}">{escape(line)}</summary>'
    costs = [
        tr("{name}: {score} steps and MV, par {par}", name, score, par)
        for name, (score, par) in verdict["costs"].items()
    ]
    texts = [verdict["failure"], verdict["note"], verdict["message"], *costs]
    text = "\n".join(shown(str(text)) for text in texts if text)
    yield f"<pre>{escape(text)}</pre>" if text else ""
    if state == "failed":
        yield from _beside(task, verdict, content)
    yield "</details>"


def _beside(task: str, verdict: Verdict, content: bytes) -> Iterator[str]:
    """The map of the error with the learner's lines beside it."""
    yield '<div class="beside">'
    if verdict.get("picture"):
        image = base64.b64encode(_shown_in(str(verdict["picture"])).encode()).decode()
        yield f'<img alt="{tr("where the error is")}" src="data:image/svg+xml;base64,{image}">'
    lines = own_lines(content, str(verdict["failure"]), Path(find_task(task).file).name)
    yield f"<pre>{lines}</pre></div>" if lines else "</div>"


def _shown_in(picture: str) -> str:
    """A picture of a verdict with its texts in the language of the moment."""
    return _TEXT.sub(lambda text: f"{text[1]}{escape(shown(unescape(text[2])))}<", picture)
