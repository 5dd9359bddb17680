"""What a task gives: the parts of the course's answer that the learner's stub has too."""

from __future__ import annotations

import re
from pathlib import Path

from haribote.answers.tasks import ROOT, Task

PLAIN = "plain"
"""The folder of plain answers in `solutions/`."""
REGION = re.compile(r"^([ \t]*)### BEGIN (SOLUTION|HOLE)\n(.*?)^[ \t]*### END \2\n", re.MULTILINE | re.DOTALL)
"""What goes from an answer where a stub is made: its indent, its kind, the lines between."""


def source_of(task: Task, root: Path = ROOT) -> str:
    """What the stub of a task is made from: its plain answer with named holes where there is one, else its solution."""
    plain = root / "solutions" / PLAIN / Path(task.file).name
    return (plain if plain.is_file() else root / "solutions" / task.file).read_text(encoding="utf-8")


def given(task: Task) -> str:
    """The code around what is left to write, where `...` stands; "" where the course's answers are not there."""
    try:
        return REGION.sub(r"\1...\n", source_of(task))
    except OSError:
        return ""
