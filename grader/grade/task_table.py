"""A class by task: how many handed in, how many are right, and what goes wrong most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.grade.judge import Verdict
from haribote.answers.tasks import Task, all_tasks
from haribote.own.marks import MEDALS
from haribote.words import word
from simulator.messages import Text, shown, tr

OTHER = Text("something else")


@dataclass(frozen=True)
class TaskSummary:
    """What became of a task. handed: answers that were graded. passed: right ones. causes: of the failed, by number.

    Its words are in the language of the moment.
    """

    task: Task
    handed: int
    passed: int
    medals: Counter[str]
    causes: Counter[str]

    @property
    def rate(self) -> float:
        """The share of the answers that are right, 0 to 1; 0 where there is none."""
        return self.passed / self.handed if self.handed else 0.0

    @property
    def commonest(self) -> str:
        """The commonest cause among the failed, with its number: `reads too early (3 of 5)`; "" where none failed."""
        if not self.causes:
            return ""
        cause, count = self.causes.most_common(1)[0]
        return f"{shown(cause)} ({count}{tr(' of ')}{self.causes.total()})"

    @property
    def medals_told(self) -> str:
        """`2 gold, 1 par`."""
        return ", ".join(f"{self.medals[medal]} {word(medal)}" for medal in reversed(MEDALS) if self.medals[medal])


def by_task(verdicts: Sequence[Mapping[str, Verdict]]) -> list[TaskSummary]:
    """A summary of every task, in the order of the notebooks. verdicts: by task, for each submission."""
    found = []
    for task in all_tasks():
        graded = [one[task.id] for one in verdicts if task.id in one and one[task.id]["state"] in ("passed", "failed")]
        right = [verdict for verdict in graded if verdict["state"] == "passed"]
        medals = Counter(str(verdict.get("medal")) for verdict in right if verdict.get("medal"))
        causes = Counter(str(verdict["cause"] or OTHER) for verdict in graded if verdict["state"] == "failed")
        found.append(TaskSummary(task, len(graded), len(right), medals, causes))
    return found
