"""A learner's progress on this machine: which answers passed, as they were then, and which hints were shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grader.result import Result
from haribote.tasks import ROOT, Task, all_tasks, is_written
from haribote.verdicts import FILE, digest_of
from simulator.files import write_file


class Progress:
    """What is known of the tasks; kept in `runs/progress.json` of the course's folder."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._path = root / FILE
        self._tasks: dict[str, dict[str, Any]] = self._read()

    def record(self, result: Result) -> None:
        """Remember the outcome of a check together with the answer's hash."""
        if result.state == "not started":
            return
        entry = self._tasks.setdefault(result.task, {})
        entry |= {"state": result.state, "points": result.points, "answer": self._digest(result.task)}
        self._write()

    def next_hint(self, task: Task) -> int:
        """The number, from 0, of the hint to show now; the last one again and again."""
        entry = self._tasks.setdefault(task.id, {})
        shown = int(entry.get("hints", 0))
        entry["hints"] = min(shown + 1, len(task.hints))
        self._write()
        return min(shown, len(task.hints) - 1)

    def state(self, task: Task) -> str:
        """ "passed", "failed", "not checked" since its last change, or "not started"."""
        if not is_written(self.root / "haribote" / task.file):
            return "not started"
        entry = self._tasks.get(task.id, {})
        return str(entry["state"]) if entry.get("answer") == self._digest(task.id) else "not checked"

    def points(self, task: Task) -> int:
        """The points of the last check; 0 for an answer that was changed since."""
        return int(self._tasks[task.id]["points"]) if self.state(task) in ("passed", "failed") else 0

    def next_task(self) -> Task | None:
        """The first task that has not passed while all that it needs have; None when all are done."""
        passed = {task.id for task in all_tasks() if self.state(task) == "passed"}
        return next((task for task in all_tasks() if task.id not in passed and passed.issuperset(task.needs)), None)

    def _digest(self, task: str) -> str:
        path = self.root / "haribote" / next(found.file for found in all_tasks() if found.id == task)
        return digest_of(path)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            tasks = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # none yet, or damaged: progress is found again by checking
            return {}
        return tasks if isinstance(tasks, dict) else {}

    def _write(self) -> None:
        write_file(self._path, (json.dumps(self._tasks, indent=1) + "\n").encode())
