"""What a check finds, the same object for the shell, the notebook and the reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from grader.feedback.failure import Failure
from grader.medals import medal_line, medal_of
from haribote.answers.tasks import find_task
from haribote.errors import HariboteError
from haribote.words import word
from simulator.errors import UserError
from simulator.messages import shown, tr
from simulator.shell import command_line
from simulator.terminal import RoleLine

if TYPE_CHECKING:
    from grader.debugger.debugged import Debugged

CARD_BUDGET = 600_000
"""Bytes of values on a page in a card, which is saved with the notebook; more of the chip is on that of `debug`."""
State = Literal["not started", "passed", "failed"]


@dataclass(frozen=True)
class Cost:
    """What a kernel costs in the problem set's count (PE steps, nops among them, and MV), beside its par."""

    name: str
    score: int
    par: int

    def __str__(self) -> str:
        under = self.par - self.score
        against = "par"
        if under:
            over = tr("{value} over par {par}", -under, self.par)
            against = tr("{under} under par {par}", under, self.par) if under > 0 else over
        return tr("{name}: {score} steps and MV ({against})", self.name, self.score, against)


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of one check, as text in the language of the moment. seed: gives the same random cases again.

    cases: how many passed. total: of how many; 0 where the check ended at the first failure. file: that was checked.
    reference: it is the course's own answer. debugger: makes what `debug` gives.
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
    debugger: Callable[[Failure | None, int | None], Debugged] | None = None

    def debug(self, budget: int | None = None) -> Debugged:
        """The viewer at the first wrong word of the first failing case; where all pass, the first case from its start.

        budget: bytes of values, by default as many as a page takes; beyond it only the part of the chip around the word
        is kept.

        Raises HariboteError where the answer is no program of the machine, or is not written.
        """
        if self.state == "not started":
            what = tr("task {task} is not written yet, so there is nothing to step through", self.task)
            raise HariboteError(what, self.message)
        if self.debugger is None:  # of grading, where the answer is not at hand
            raise HariboteError(tr("this result has no debugger"), f"`grader debug {self.task} --seed {self.seed}`")
        return self.debugger(self.failure, budget)

    @property
    def checked(self) -> str:
        """Whose file was checked, in English words."""
        if self.reference:
            return tr("checked the course's own answer {file}", self.file)
        return tr("checked {file}", self.file)

    @property
    def debuggable(self) -> bool:
        """Whether `debug` has more to show than the message: the failure is one of a run on the machine."""
        return self.failure is not None and (self.failure.word is not None or self.failure.line > 0)

    @property
    def passed(self) -> bool:
        """True when every case passed."""
        return self.state == "passed"

    @property
    def medal(self) -> str:
        """ "par", "silver" or "gold"; "" for none."""
        return medal_of(find_task(self.task), self._scores) if self.passed and self.costs else ""

    @property
    def _scores(self) -> list[tuple[int, int]]:
        return [(cost.score, cost.par) for cost in self.costs]

    def lines(self, brief: bool = False) -> list[str]:
        """What a terminal shows, in the language of the moment, a `RoleLine` each. brief: without the picture, which
        takes a whole screen, and with the command that shows what is wrong.
        """
        mark = {"passed": "✓", "failed": "✗", "not started": "·"}[self.state]
        head = tr(
            "{mark} task {task} ({title}): {state}, {points} of {of} points",
            mark=mark,
            task=self.task,
            title=self.title,
            state=word(self.state),
            points=self.points,
            of=self.of,
        )
        lines: list[str] = [RoleLine(head, {"passed": "good", "failed": "bad"}.get(self.state, ""))]
        lines += [shown(self.message)] if self.message else []
        if self.failure:
            lines += (replace(self.failure, picture="") if brief else self.failure).lines(shown)
        lines += [shown(str(cost)) for cost in self.costs]
        if self.passed and self.costs:
            lines += map(shown, filter(None, [medal_line(find_task(self.task), self._scores)]))
        if brief and self.failure:
            command = command_line("grader", "debug" if self.debuggable else "check", self.task)
            lines.append(RoleLine(tr("next: {command}", command), "next"))
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__

    @property
    def brief(self) -> str:
        """The brief lines as one text."""
        return "\n".join(self.lines(brief=True))

    def _repr_html_(self) -> str:
        from grader.card import card_of  # what notebooks show takes the viewer

        drawn = self.failure and replace(self.failure, picture="")  # a picture in colours stands in its place
        text = str(replace(self, failure=drawn))
        return card_of(self.task, self.state, text, self.file, self.failure, self._debugger_html())

    def _debugger_html(self) -> str:
        """What opens the debugger on a click; "" where there is nothing to step through."""
        if not self.debuggable:
            return ""
        try:
            page = self.debug(CARD_BUDGET).page
        except UserError:  # the file has changed meanwhile; the card tells what was found before
            return ""
        if not page:
            return ""
        from simulator.view.notebook import frame

        viewer = frame(page, tr("debugger of task {task}", self.task))
        summary = tr("Step through it: the first wrong word, and who wrote it")
        return f"<details><summary>{summary}</summary>{viewer}</details>"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON, texts in the language of the moment; the arrays of a failure are left out."""
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
            "medal": self.medal,
            "message": self.message,
            "cause": failure.cause if failure else "",
            "failure": "" if failure is None else str(failure),
        }
