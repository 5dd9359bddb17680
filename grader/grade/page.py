"""The report for people: one page of HTML that needs nothing else. Whatever comes from a submission is only text in it.

The page forbids scripts and everything from outside by its own policy; pictures are images, which cannot run anything.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from grader.course import SHORT, course_hash
from grader.grade.judge import Verdict
from grader.grade.report import Report
from grader.points import RULE
from haribote.answers.tasks import all_tasks, find_task

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_MARKS = {"passed": "✓", "failed": "✗", "not started": "·", "trouble": "!", "not graded": "?"}
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --part: #9a6700; --bad: #cf222e; --idle: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --part: #d29922; --bad: #ff7b72; --idle: #8b949e; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 78rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 6px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
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
    title = f"{count} submission{'s' if count != 1 else ''}"
    head = f"course {course_hash()[:SHORT]}, seed {report.seed}. {escape(RULE)}"
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{title}</h1><p>{head}</p>",
        *_class_table(report),
        *_twins(report),
        "<h2>Each submission</h2>",
    ]
    for number in range(count):
        parts += _details(report, number)
    return "\n".join([*parts, "</body></html>\n"])


def _class_table(report: Report) -> Iterator[str]:
    tasks = all_tasks()
    yield '<div class="wide"><table><thead><tr><th>id</th><th>points</th>'
    yield "".join(f'<th title="{escape(task.title)}, {task.points} points">{task.id}</th>' for task in tasks)
    yield "</tr></thead><tbody>"
    for number, submission in enumerate(report.submissions):
        name = f'<a href="#s{number}">{escape(submission.id)}</a>'
        cells = "".join(_cell(report.verdicts[number][task.id]) for task in tasks)
        if submission.problem:
            cells = f'<td class="problem" colspan="{len(tasks)}" style="text-align:left">unreadable</td>'
        yield f"<tr><td>{name}</td><td>{report.points(number)}/{report.of}</td>{cells}</tr>"
    yield "</tbody></table></div>"


def _cell(verdict: Verdict) -> str:
    state = str(verdict["state"])
    kind = _kind(verdict)
    text = verdict["points"] if kind in ("passed", "over", "failed") else _MARKS.get(state, "?")
    return f'<td class="{kind}" title="{escape(state)}">{text}</td>'


def _kind(verdict: Verdict) -> str:
    state = str(verdict["state"])
    if state == "passed":
        return "passed" if verdict["points"] == verdict["of"] else "over"
    return state if state in ("failed", "trouble") else "idle"


def _twins(report: Report) -> Iterator[str]:
    if not report.twins:
        return
    yield "<h2>Alike</h2><ul>"
    for twins in report.twins:
        names = ", ".join(f'<a href="#s{i}">{escape(report.submissions[i].id)}</a>' for i in twins.members)
        yield f"<li>{names}: {escape(twins.what)}</li>"
    yield "</ul>"


def _details(report: Report, number: int) -> Iterator[str]:
    submission = report.submissions[number]
    remark = report.remark(number)
    points = f"{report.points(number)} of {report.of} points"
    yield f'<details id="s{number}"><summary><b>{escape(submission.id)}</b> {points}'
    yield f' <span class="idle">{escape(submission.source)}</span></summary>'
    if remark:
        yield f'<pre class="problem">{escape(remark)}</pre>'
    for task, verdict in report.verdicts[number].items():
        if verdict["state"] not in ("not started", "not graded"):
            yield from _task(task, verdict)
    if report.notebooks:
        lines = "\n".join(f"{name}: {line}" for name, line in report.notebooks[number].items())
        yield f"<details><summary>notebooks (no marks)</summary><pre>{escape(lines)}</pre></details>"
    yield "</details>"


def _task(task: str, verdict: Verdict) -> Iterator[str]:
    state = str(verdict["state"])
    cases = f", {verdict['cases']} of {verdict['total']} cases" if verdict["total"] else ""
    line = f"{_MARKS.get(state, '?')} {task} {find_task(task).title}: {state}, "
    line += f"{verdict['points']} of {verdict['of']} points{cases}"
    yield f'<details{" open" if state != "passed" else ""}><summary class="{_kind(verdict)}">{escape(line)}</summary>'
    costs = [f"{name}: {score} steps and MV, par {par}" for name, (score, par) in verdict["costs"].items()]
    texts = [verdict["failure"], verdict["note"], verdict["message"], *costs]
    text = "\n".join(str(text) for text in texts if text)
    yield f"<pre>{escape(text)}</pre>" if text else ""
    if verdict.get("picture"):
        image = base64.b64encode(str(verdict["picture"]).encode()).decode()
        yield f'<img alt="where the error is" src="data:image/svg+xml;base64,{image}">'
    yield "</details>"
