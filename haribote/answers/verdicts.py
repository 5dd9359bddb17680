"""What the last check said of an answer, as long as its file stays as it was then.

`grader check` writes it to `runs/progress.json`, by task: "state" is "passed" or "failed", "answer" the file's SHA-256.
What `check` says in a notebook is remembered in this process.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from haribote.answers.ownership import answer_file
from haribote.answers.tasks import ROOT, Task

FILE = "runs/progress.json"
_said: dict[tuple[Path, str], str] = {}


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, "" where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def remember(path: Path, state: str) -> None:
    """Keep what a check said of this file. state: "passed" or "failed"."""
    _said[path, digest_of(path)] = state


def last_verdict(task: Task, root: Path = ROOT) -> str:
    """ "passed", "failed", or "" where the answer was not checked since its last change."""
    path = answer_file(task, solutions=False, root=root)
    digest = digest_of(path)
    said = _said.get((path, digest))
    if said:
        return said
    try:
        entry = json.loads((root / FILE).read_text(encoding="utf-8"))[task.id]
        return str(entry["state"]) if digest and entry["answer"] == digest else ""
    except (OSError, ValueError, LookupError, TypeError):  # none yet, or damaged
        return ""
