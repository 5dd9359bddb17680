"""A result as a card in a notebook: readable in light and dark, with links to the answer's line and to the hints."""

from __future__ import annotations

import html
import os
import re

from grader.feedback.error_map import error_map
from grader.feedback.failure import Failure
from grader.translations import texts_of
from haribote.answers.tasks import ROOT, UnknownTask, find_task
from simulator.messages import shown, tr
from simulator.notebook.card import card

STATES = {"passed": "good", "failed": "bad", "not started": "quiet"}
PLACE = re.compile(r"(?P<file>[\w/.-]+\.py)(?::(?P<line>[0-9]+))?")


def card_of(task: str, state: str, text: str, file: str, failure: Failure | None, debugger: str = "") -> str:
    """The HTML of a result. text: as it is shown; its first line is the heading; without a picture of characters.

    debugger: HTML of what opens the debugger, "" for none.
    """
    head, _, rest = text.partition("\n")
    parts = [f'<pre class="prose">{_linked(rest)}</pre>' if rest else ""]
    if failure is not None:
        drawn = error_map(failure)
        parts.append(drawn._repr_html_() if drawn else f"<pre>{html.escape(shown(failure.picture))}</pre>")
    parts.append(debugger)
    if state != "passed":
        parts += [f"<p>{_link(file, '', html.escape(tr('open {file}', file)))}</p>"] if file else []
        parts.append(_hints(task))
    return card(STATES[state], head, "".join(parts))


def _linked(text: str) -> str:
    """Text as HTML; what names a line of a file leads there."""
    found, end = [], 0
    for place in PLACE.finditer(text):
        if place["line"] and (ROOT / place["file"]).is_file():
            found.append(html.escape(text[end : place.start()]))
            found.append(_link(place["file"], place["line"], html.escape(place[0])))
            end = place.end()
    return "".join([*found, html.escape(text[end:])])


def _link(file: str, line: str, text: str) -> str:
    """A link that JupyterLab opens beside the notebook, at the line; it counts lines from 0."""
    if not (ROOT / file).is_file():
        return text
    target = os.path.relpath(ROOT / file).replace(os.sep, "/")
    return f'<a href="{html.escape(target)}{f"#line={int(line) - 1}" if line else ""}">{text}</a>'


def _hints(name: str) -> str:
    """The hints, each inside the one before, so that a stronger one is not seen by accident."""
    try:
        hints = texts_of(find_task(name)).hints
    except UnknownTask:
        return ""
    inside = ""
    for number, hint in reversed(list(enumerate(hints, 1))):
        which = html.escape(tr("hint {number} of {hints}", number, len(hints)))
        text = f"<summary>{which}</summary><pre class='prose'>{html.escape(hint)}</pre>"
        inside = f"<details>{text}{inside}</details>"
    return inside
