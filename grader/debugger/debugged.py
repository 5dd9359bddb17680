"""What a debugger gives: a page to step through, and the same in words."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from pathlib import Path

from haribote.answers.tasks import ROOT
from simulator.files import write_file
from simulator.messages import shown, tr
from simulator.view.notebook import frame

FOLDER = ROOT / "runs" / "debug"


@dataclass(frozen=True, eq=False)
class Debugged:
    """A check as a page to step through. report: the same in English. page: HTML, "" where there is nothing to run."""

    task: str
    report: str
    page: str

    @property
    def file(self) -> Path:
        """Where `write` puts the page."""
        return FOLDER / f"{self.task}.html"

    def write(self) -> Path:
        """Write the page to a file that a browser can open, also without a network."""
        write_file(self.file, self.page)
        return self.file

    def __str__(self) -> str:
        return shown(self.report)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = f'<pre style="margin:4px 0; white-space:pre-wrap; word-break:normal">{html.escape(str(self))}</pre>'
        if not self.page:
            return text
        where = os.path.relpath(self.write(), ROOT)
        return (
            f"{text}{frame(self.page, tr('debugger of task {task}', self.task))}"
            f"<p>{html.escape(tr('The same page for a browser:'))} <code>{html.escape(where)}</code></p>"
        )
