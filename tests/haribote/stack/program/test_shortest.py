"""Of several plans of a graph the one that gives the shortest program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from haribote.stack.places import NoRoom
from haribote.stack.plan import Alias, Become, Plan, Shift
from haribote.stack.program import builder, passes
from haribote.stack.program import shortest as module
from haribote.stack.program.shortest import build, shortest
from simulator.isa.cost import cost_of
from tests.haribote.stack.program.small_plans import NEAR, TURNED, replaced, version

TIMES = 20


def longer() -> Plan:
    """The same as `replaced`, but what moves goes to and fro TIMES more."""
    plan = replaced()
    *before, move, alias, become = plan.actions
    assert isinstance(move, Shift) and isinstance(alias, Alias) and isinstance(become, Become)
    there = move.target
    for number in range(TIMES):
        back, again = version(f"x.back{number}", NEAR), version(f"x.again{number}", TURNED)
        before += [move, Shift(there, back)]
        move, there = Shift(back, again), again
    return replace(plan, actions=(*before, move, Alias(there, alias.target), become))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_shorter_program_is_taken_whichever_plan_came_first(order: Sequence[int]) -> None:
    plans = [replaced(), longer()]
    assert build(plans[0]).executable.cost.fewest < build(plans[1]).executable.cost.fewest
    found = shortest([plans[number]] for number in order)
    assert found.plan is plans[0]
    assert found.executable.step == build(plans[0]).executable.step


@pytest.mark.parametrize(("order", "away"), [((0, 1), 0.0), ((1, 0), 7.0)])
def test_what_the_first_plan_puts_away_is_known(
    order: Sequence[int], away: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where another one was shorter: with more pieces there may be a still shorter one."""
    plans = [replaced(), longer()]
    each = property(lambda one: 7.0 if one.plan is plans[1] else 3.0)
    monkeypatch.setattr(builder.ProgramBuilder, "put_away", each)
    assert shortest([plans[number]] for number in order).first_put_away == away


def test_a_plan_for_which_there_is_no_room_counts_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [longer(), replaced()]
    written = passes.written

    def full(plan: Plan) -> object:
        if plan is plans[1]:
            raise NoRoom("nothing is free", "less")
        return written(plan)

    monkeypatch.setattr(module, "written", full)
    for rows in ([[plans[0]], [plans[1]]], [[plans[1]], [plans[0]]], [[plans[1], plans[0]]]):
        assert shortest(rows).plan is plans[0]
    with pytest.raises(NoRoom, match="nothing is free"):
        shortest([plans[1:]])


def test_of_a_row_the_first_that_has_room_is_taken() -> None:
    plans = [longer(), replaced()]
    assert shortest([plans]).plan is plans[0]


def test_programs_that_do_not_look_promising_are_not_scheduled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is, whatever it looks like, and those with at most PROMISING times the lowest estimate."""
    plans = [longer(), replaced(), longer(), longer()]
    estimates = dict(zip(map(id, plans), [900.0, 100.0, 100 * module.PROMISING, 101 * module.PROMISING], strict=True))
    monkeypatch.setattr(module, "_estimate", lambda one: estimates[id(one.plan)])
    found = module._promising([passes.written(plan) for plan in plans])
    assert [one.plan for one in found] == plans[:3]
    with monkeypatch.context() as few:
        few.setattr(module, "MOST", 1)
        assert [one.plan for one in module._promising([passes.written(plan) for plan in plans])] == plans[:2]
    scheduled: list[object] = []
    schedule = module.schedule_long
    monkeypatch.setattr(module, "schedule_long", lambda program: (scheduled.append(program), schedule(program))[1])
    assert shortest([plan] for plan in plans).plan is plans[1]
    assert len(scheduled) == 3


def test_an_estimate_is_between_its_matrix_units_and_its_serial_cycles() -> None:
    for plan in (replaced(), longer()):
        one = passes.written(plan)
        assert 0 < module._estimate(one) < cost_of(one.plain).cycles
