"""A scheduler in three small functions, one of them per task: dependences, the critical path, list scheduling.

It is the slow and obvious form of `simulator.schedule`, which besides tries many orders and renames buffers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haribote.answers.ownership import exercise
from haribote.errors import HariboteError
from haribote.speed.dependence import plain_edges
from simulator.assembly.assembler import assemble
from simulator.assembly.checks import check
from simulator.isa.program import Program
from simulator.messages import tr
from simulator.rules.waits import WINDOW
from simulator.schedule.groups import groups_of
from simulator.schedule.list_scheduler import Problem
from simulator.schedule.list_scheduler import Table as Marks
from simulator.schedule.nodes import nodes_of
from simulator.schedule.text import written


@exercise("7.4")
def critical_path(order: Sequence[int], lengths: Sequence[int], after: Sequence[Mapping[int, int]]) -> list[int]:
    """Of each job, the steps from its start to the end of the program at least.

    order: all jobs, each before those that come after it. lengths: steps of each. after: of each job those that depend
    on it, with the least distance from start to start.
    """
    raise NotImplementedError


class Table:
    """The steps of the new program while it is filled."""

    def __init__(self, problem: Problem) -> None:
        self._marks, self._templates = Marks(len(problem.numbered)), problem.templates
        self._end = sum(problem.lengths) + (len(problem.lengths) + 1) * WINDOW

    def fits(self, job: int, step: int) -> bool:
        """Whether a job may begin at this step beside those that are placed: units, and waits of whole memories.

        Raises HariboteError for a step at which every job fits, so that a search without end is noticed.
        """
        if not 0 <= step <= self._end:
            raise HariboteError(
                tr("job {job} at step {step}: there are steps 0 to {end}", job, step, self._end), "grader check 7.5"
            )
        return not self._marks.closed(self._templates[job], step + WINDOW) & 1

    def place(self, job: int, step: int) -> None:
        """Let it begin there."""
        self._marks.place(self._templates[job], step + WINDOW)


@exercise("7.5")
def list_schedule(before: Sequence[Mapping[int, int]], priority: Sequence[int], table: Table) -> list[int]:
    """The step at which each job begins, one job after another: of those whose predecessors are placed, the one of the
    greatest priority, the first of equals, at the earliest step where it fits.
    """
    raise NotImplementedError


def problem_of(program: Program) -> Problem:
    """The jobs of a program, with plain dependences."""
    nodes = nodes_of(program)
    return Problem(groups_of(nodes, known=plain_edges(nodes)))


def schedule(program: Program) -> Program:
    """An equal program with fewer steps; the same where there are not fewer. program: without errors of `check`."""
    problem = problem_of(program)
    priority = critical_path(problem.order, problem.lengths, [dict(others) for others in problem.after])
    starts = list_schedule([dict(others) for others in problem.before], priority, Table(problem))
    if problem.steps(starts) >= program.steps:
        return program
    return assemble(written(problem.times(starts), {}), program.filename)


def right_schedule(program: Program) -> Program:
    """As `schedule`, tried out. Raises HariboteError where what is found is not right, or an answer fails."""
    from haribote.speed.equality import difference  # which needs a machine

    try:
        found = schedule(program)
    except Exception as error:  # whatever the learner's code does
        raise HariboteError(
            tr("tasks 7.3 to 7.5 stop with {name}: {error}", type(error).__name__, error), "grader check 7.5"
        ) from error
    wrong = next((str(it) for it in check(found) if it.severity == "error"), "")
    wrong = wrong or (
        tr("{filename} leaves another {where}", found.filename, where) if (where := difference(program, found)) else ""
    )
    if wrong:
        raise HariboteError(tr("the schedule of tasks 7.3 to 7.5 is not right: {wrong}", wrong), "grader check 7.5")
    return found
