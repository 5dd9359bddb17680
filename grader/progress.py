"""A learner's progress on this machine: which answers passed, as they were then, and which hints were shown."""

from __future__ import annotations

import json
import sys
import time
from functools import cached_property
from pathlib import Path
from typing import Any

from grader.credits import credit, credited
from grader.result import Result
from haribote.answers.ownership import is_caught_up, is_written
from haribote.answers.tasks import LEVELS, ROOT, Task, all_tasks
from haribote.answers.verdicts import FILE, digest_of
from haribote.own.marks import MEDALS
from simulator.files import FileError, locked, write_file
from simulator.messages import say, tr

THIRD_EDITION = 1_795_478_400.0
"""When the third edition came, in seconds since 1970: 24 November 2026."""


class Progress:
    """What is known of the tasks; kept in `runs/progress.json` of the course's folder."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._path = root / FILE
        self._tasks: dict[str, dict[str, Any]] = self._read()

    def record(self, result: Result) -> None:
        """Remember the outcome of a check together with the answer's hash."""
        if result.state != "not started":
            digest = self._digest(result.task)
            entry = {"state": result.state, "points": result.points, "answer": digest, "at": time.time()}
            entry["medal"] = result.medal
            self._update(result.task, entry)

    def next_hint(self, task: Task) -> int:
        """The number, from 0, of the hint to show now; the last one again and again."""
        return min(self._hints(task), len(task.hints) - 1)

    def record_hint(self, task: Task) -> None:
        """Remember that the hint of `next_hint` was shown."""
        self._update(task.id, {"hints": min(self._hints(task) + 1, len(task.hints))})

    def _hints(self, task: Task) -> int:
        shown = self._tasks.get(task.id, {}).get("hints", 0)
        return max(0, shown) if isinstance(shown, int) else 0

    def state(self, task: Task) -> str:
        """ "passed", "failed", "not checked" since its last change, "not started", or "caught up": not theirs."""
        path = self.root / "haribote" / task.file
        if not is_written(path):
            return "not started"
        if is_caught_up(path):
            return "caught up"
        entry = self._tasks.get(task.id, {})
        known = entry.get("state") in ("passed", "failed") and entry.get("answer") == self._digest(task.id)
        return str(entry["state"]) if known else "not checked"

    @cached_property
    def generated(self) -> dict[str, str]:
        """The kernel tasks that are not started but that generators of the learner answer, each with its task."""
        states = {task.id: self.state(task) for task in all_tasks()}
        started = [task for task, state in states.items() if state != "not started"]
        return credited([task for task, state in states.items() if state == "passed"], started)

    def points(self, task: Task) -> int:
        """The points of the last check; 0 for an answer that was changed since; or what a generator earns for it."""
        if task.id in self.generated:
            return credit(task)
        points = self._tasks[task.id].get("points") if self.state(task) in ("passed", "failed") else 0
        return points if isinstance(points, int) else 0

    def medal(self, task: Task) -> str:
        """The medal of the last check: "par", "silver", "gold", or "" for none and for an answer changed since."""
        medal = self._tasks[task.id].get("medal") if self.state(task) == "passed" else ""
        return medal if medal in MEDALS else ""

    @property
    def of_an_older_edition(self) -> bool:
        """Whether the learner began with an earlier edition and has not met yet what is new: the generators."""
        times = [self._checked_at(task) for task in all_tasks()]
        began = min((at for at in times if at), default=THIRD_EDITION)
        return began < THIRD_EDITION and not any(self.state(task) == "passed" for task in all_tasks() if task.shared)

    def next_task(self, skip: Task | None = None) -> Task | None:
        """A task that has not passed while all that it needs have; None when all are done.

        Core tasks come before optional ones and challenges; among them the next one of the stage of the task that was
        checked last, then what is left of that stage, then the stages that follow. skip: go on after this one instead.
        """
        tasks = all_tasks()
        passed = {task.id for task in tasks if self.state(task) in ("passed", "caught up")} | self.generated.keys()
        ready = [task for task in tasks if task.id not in passed and passed.issuperset(task.needs)]
        stages = list(dict.fromkeys(task.stage for task in tasks))
        latest = skip or max(tasks, key=lambda task: (self._checked_at(task), -tasks.index(task)))

        def order(task: Task) -> tuple[int, int, int]:
            stage = (stages.index(task.stage) - stages.index(latest.stage)) % len(stages)
            return LEVELS.index(task.level), stage, (tasks.index(task) - tasks.index(latest)) % len(tasks)

        others = [task for task in ready if task != skip]
        return min(others or ready, key=order, default=None)

    def _checked_at(self, task: Task) -> float:
        at = self._tasks.get(task.id, {}).get("at", 0.0)
        return at if isinstance(at, int | float) else 0.0

    def _digest(self, task: str) -> str:
        path = self.root / "haribote" / next(found.file for found in all_tasks() if found.id == task)
        return digest_of(path)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            tasks = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # none yet, or damaged: progress is found again by checking
            return {}
        entries = tasks.items() if isinstance(tasks, dict) else ()
        return {task: entry for task, entry in entries if isinstance(entry, dict)}

    def _update(self, task: str, changes: dict[str, Any]) -> None:
        """Change what is known of a task, and nothing that another process has recorded meanwhile.

        Where that cannot be kept (a read-only folder, a full disk), a warning says so: a verdict is not worth less.
        """
        try:
            with locked(self._path.with_name(f".{self._path.name}.lock")):
                self._tasks = self._read()
                self._tasks.setdefault(task, {}).update(changes)
                vars(self).pop("generated", None)
                write_file(self._path, json.dumps(self._tasks, indent=1) + "\n")
        except (OSError, FileError) as error:
            reason = error.message if isinstance(error, FileError) else f"{error.filename}: {error.strerror}"
            say(tr("warning: your progress is not recorded: {reason}", reason), file=sys.stderr)
            self._tasks.setdefault(task, {}).update(changes)  # for the rest of this command
