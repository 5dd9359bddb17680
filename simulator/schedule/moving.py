"""MV instructions take their time: what uses their results is scheduled for when they have ended.

An MV instruction runs beside the steps (`schedule.overlap`). A step that needs its result too early keeps all steps
behind it waiting, some of which could have come first. So a schedule is looked for in which every MV instruction takes
as many steps as it lasts, one after another; then the steps in which nothing happens are taken out again, since nobody
has to wait in steps for an MV instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil

from simulator.assembly.assembler import assemble
from simulator.assembly.checks import fix_nops
from simulator.isa import STEP_CYCLES
from simulator.isa.cost import move_rate
from simulator.isa.program import Move, Program
from simulator.schedule.list_scheduler import Problem, forward
from simulator.schedule.nodes import Group
from simulator.schedule.overlap import ISSUED


def await_moves(groups: Sequence[Group]) -> bool:
    """Let what comes after MV instructions come later by the steps that these take; False where there are none.

    Those that wait for nothing take no time: of a program that runs again and again they run beside the run before.
    """
    found = False
    for group in groups:
        if not has_moves(group):
            continue
        found = True
        if group.before:
            steps = lasts(group)
            for other in group.after:
                group.after[other] += steps
                other.before[group] += steps
    return found


def in_turn(problem: Problem) -> Problem:
    """The same with MV instructions one after another: always the first in the program of those that are ready, as far
    as a schedule in which they do not wait for each other tells. Unchanged where that order closes a circle."""
    ready = forward(problem, [group.start for group in problem.groups])
    waiting = (number for number, group in enumerate(problem.groups) if group.before and has_moves(group))
    left, order, now = list(waiting), list[int](), 0
    while left:
        now = max(now, min(ready[number] for number in left))
        first = next(number for number in left if ready[number] <= now)
        left.remove(first)
        order.append(first)
        now += lasts(problem.groups[first])
    return problem.ordered((one, other, lasts(problem.groups[one])) for one, other in pairwise(order)) or problem


def has_moves(group: Group) -> bool:
    """Whether any of its nodes is an MV instruction."""
    return any(isinstance(node.line, Move) for node in group.times)


def lasts(group: Group) -> int:
    """Steps that its MV instructions take, each at least as many as lie between the issue of two."""
    return ceil(sum(steps_of_move(node.line) for node in group.times if isinstance(node.line, Move)))


def steps_of_move(move: Move) -> float:
    """Steps that an MV instruction takes, at least as many as lie between the issue of two."""
    return max(move.size / move_rate(move), ISSUED) / STEP_CYCLES


def closed_up(text: str, filename: str) -> Program:
    """A program in its order with those nops only for which the waits of its steps ask."""
    lines = (line for line in text.splitlines() if line.split("/")[0] != "nop")
    return assemble(fix_nops(assemble("".join(f"{line}\n" for line in lines), filename), warnings=True), filename)
