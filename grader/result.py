"""What a check finds, the same object for the shell, the notebook and the reports."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any, Literal

from grader.feedback.error_map import error_map
from grader.feedback.failure import Failure

State = Literal["not started", "passed", "failed"]


@dataclass(frozen=True)
class Cost:
    """What a kernel costs in the problem set's count (PE steps, nops among them, and MV), beside its par."""

    name: str
    score: int
    par: int

    def __str__(self) -> str:
        under = self.par - self.score
        against = f"{under} under par {self.par}" if under > 0 else f"{-under} over par {self.par}" if under else "par"
        return f"{self.name}: {self.score} steps and MV ({against})"


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of one check. seed: gives the same random cases again.

    cases: how many passed. total: of how many; 0 where the check ended at the first failure. file: that was checked.
    reference: it is the course's own answer.
    """

    task: str
    title: str
    state: State
    points: int
    of: int
    file: str
    message: str
    seed: int = 0
    cases: int = 0
    total: int = 0
    costs: tuple[Cost, ...] = ()
    failure: Failure | None = None
    seconds: float = 0.0
    reference: bool = False

    @property
    def checked(self) -> str:
        """Whose file was checked, in words."""
        return f"checked the course's own answer {self.file}" if self.reference else f"checked {self.file}"

    @property
    def passed(self) -> bool:
        """True when every case passed."""
        return self.state == "passed"

    def __str__(self) -> str:
        mark = {"passed": "✓", "failed": "✗", "not started": "·"}[self.state]
        lines = [f"{mark} task {self.task} ({self.title}): {self.state}, {self.points} of {self.of} points"]
        lines += [self.message] if self.message else []
        lines += [str(self.failure)] if self.failure else []
        lines += [str(cost) for cost in self.costs]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        colour = {"passed": "#1a7f37", "failed": "#cf222e", "not started": "#6e7781"}[self.state]
        drawn, shown = None, self
        if self.failure is not None:
            drawn = error_map(self.failure)
            if drawn is not None:  # in place of the one made of characters
                shown = replace(self, failure=replace(self.failure, picture=""))
        head, *rest = str(shown).split("\n")
        body = html.escape("\n".join(rest))
        return (
            f'<div style="border-left:4px solid {colour};padding-left:8px"><b style="color:{colour}">'
            f'{html.escape(head)}</b><pre style="margin:4px 0">{body}</pre>{drawn._repr_html_() if drawn else ""}</div>'
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the arrays of a failure are left out."""
        failure = self.failure
        return {
            "task": self.task,
            "state": self.state,
            "points": self.points,
            "of": self.of,
            "seed": self.seed,
            "cases": self.cases,
            "total": self.total,
            "file": self.file,
            "costs": {cost.name: {"score": cost.score, "par": cost.par} for cost in self.costs},
            "message": self.message,
            "cause": failure.cause if failure else "",
            "failure": "" if failure is None else str(failure),
        }
