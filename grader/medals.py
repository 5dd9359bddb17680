"""Medals: how short a right answer is, between par and the reference. A medal is worth no points."""

from __future__ import annotations

from collections.abc import Iterable

from haribote.answers.tasks import Task
from haribote.own.marks import halfway
from simulator.messages import Text, tr

RULE = Text(
    "Medals are for tasks that are counted in steps and MV. Par: no shape costs more than its par. Gold: all shapes "
    "together cost no more than the reference. Silver: at least half of the way from par to gold. They are no points."
)


def silver_at(task: Task) -> int:
    """The most that all shapes together may cost for silver."""
    return halfway(task.par, task.gold)


def medal_of(task: Task, costs: Iterable[tuple[int, int]]) -> str:
    """One of `haribote.own.marks.MEDALS`, or "" for none. costs: what the shapes of a right answer cost, each with its
    par.
    """
    known = list(costs)
    if not task.gold or not known or any(score > par for score, par in known):
        return ""
    total = sum(score for score, _ in known)
    return "gold" if total <= task.gold else "silver" if total <= silver_at(task) else "par"


def medal_line(task: Task, costs: Iterable[tuple[int, int]]) -> str:
    """What a right answer has reached and what there is beyond it; "" for a task without medals."""
    known = list(costs)
    if not task.gold or not known:
        return ""
    medal, total = medal_of(task, known), sum(score for score, _ in known)
    several = len(known) > 1
    gold = tr("gold is {gold} steps and MV, the reference's cost", task.gold)
    if several:
        gold = tr("gold is {gold} steps and MV together, the reference's cost", task.gold)
    if medal == "gold":
        if total < task.gold:
            return tr("medal: gold, {value} shorter than the reference", task.gold - total)
        return tr("medal: gold, as short as the reference")
    if medal == "silver":
        return tr("medal: silver; {gold}", gold)
    beyond = tr("silver is {task}, {gold}", silver_at(task), gold) if silver_at(task) > task.gold else gold
    if medal:
        return tr("medal: par; {beyond}", beyond)
    if several:
        return tr("no medal yet; par is {par} together; {beyond}", task.par, beyond)
    return tr("no medal yet; par is {par}; {beyond}", task.par, beyond)
