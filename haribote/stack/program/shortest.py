"""Of several plans of a graph the one that gives the shortest program: all are written, what is promising scheduled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from haribote.errors import HariboteError
from haribote.stack.plan import Plan, Stream
from haribote.stack.program.builder import Built, ProgramBuilder
from haribote.stack.program.order import ordered
from haribote.stack.program.passes import written
from simulator import isa
from simulator.isa.cost import cost_of
from simulator.schedule import overlapped, schedule_long

IN_ORDER = 800
"""Steps from which on a program is written in a better order: the schedule of a shorter one is looked for at length,
with the values of matrix registers in any order, and depends little on it."""
LITTLE = 0.02
"""The share of a program's cycles that versions may be longer on their way to DRAM and back in a better order."""
SERIAL_SHARE = 0.25
"""What an estimate counts of a program's serial cycles, beside all cycles of its matrix units. For each of 30 training
steps of random networks the program with the shortest schedule had an estimate within 5 % of the lowest."""
PROMISING = 1.2
"""How many times the lowest estimate a program may have to be scheduled. Second and third looks at a graph gave the
shortest program at up to 1.15."""
MOST = 4
"""Programs that are scheduled beside the first one, those with the lowest estimates: the schedule of a large program
takes as long as a plan."""


def build(plan: Plan, quick: bool = False) -> Built:
    """The program of a plan; quick: its schedule is not looked for at length. Raises NoRoom, and AssemblyError for
    lines that no assembler takes."""
    return shortest([[plan]], quick)


def shortest(plans: Iterable[Iterable[Plan]], quick: bool = False) -> Built:
    """The program of the plan that gives the shortest one, by schedules found in a few tries, out of the first of each
    row that can be written; quick: as in `build`. Raises as `build` does where none can."""
    programs: list[ProgramBuilder] = []
    problems: list[HariboteError] = []
    for row in plans:
        for plan in row:
            try:
                programs.append(written(plan))
                break
            except HariboteError as problem:
                problems.append(problem)
    if not programs:
        raise problems[0]
    if not quick:
        programs = [_in_better_order(one) for one in _promising(programs)]
    if len(programs) == 1:
        return programs[0].built(quick)
    drafts = [(schedule_long(one.plain), one) for one in programs]
    draft, best = min(drafts, key=lambda entry: overlapped(entry[0]))
    found = best.built(quick, draft)
    return found if best is programs[0] else replace(found, first_put_away=programs[0].put_away)


def _promising(programs: Sequence[ProgramBuilder]) -> list[ProgramBuilder]:
    """The programs that are worth a schedule: the first, and a few whose estimates are not far from the lowest."""
    first, *others = programs
    if not others:
        return [first]
    estimates = {id(one): _estimate(one) for one in programs}
    limit = PROMISING * min(estimates.values())
    others.sort(key=lambda one: estimates[id(one)])
    return [first, *(one for one in others[:MOST] if estimates[id(one)] <= limit)]


def _estimate(one: ProgramBuilder) -> float:
    """About how many cycles a program takes when it is scheduled."""
    cost = cost_of(one.plain)
    return SERIAL_SHARE * cost.cycles + isa.STEP_CYCLES * cost.units.get("mau", 0)


def _in_better_order(one: ProgramBuilder) -> ProgramBuilder:
    """A program with its actions in a better order, if there is one in which versions on their way to DRAM and back
    take about as little time. Templates have an order of their own."""
    if any(isinstance(action, Stream) for action in one.plan.actions):
        return one
    if sum(program.steps for program in one.programs) < IN_ORDER and one.plain.steps < IN_ORDER:
        return one
    efforts = list(one.efforts())
    most = one.put_away + LITTLE * sum(cost_of(program).cycles for program in one.programs)
    like = None if one.code.own_buffers else one  # that room is short takes several passes to find out
    for ahead in (True, False):  # what comes early takes up room
        actions = ordered(one.work, efforts, one.at_home, ahead)
        if actions is None:
            break
        with suppress(HariboteError):
            other = written(replace(one.plan, actions=tuple(actions)), like)
            if other.put_away <= most:
                return other
    return one
