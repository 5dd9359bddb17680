"""The order of actions: what may not change places, and who is to come first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import onnx
import pytest

from haribote.stack.plan import (
    Action,
    Alias,
    Become,
    Compute,
    Load,
    Multiply,
    Plan,
    Shift,
    Store,
    Version,
    reads,
    writes,
)
from haribote.stack.program import order, passes, shortest
from haribote.stack.program.builder import ActionCode
from haribote.stack.program.order import Effort, effort, ordered
from haribote.stack.program.shortest import build
from haribote.stack.program.work import Joined, Spill, joined
from simulator import assemble
from tests.haribote.stack.program.small_plans import NEAR, replaced, version

UNITS, TRANSFERS, MOVES, NOTHING = Effort(100, 0, 0), Effort(0, 100, 0), Effort(0, 0, 100), Effort(0, 0, 0)


def named(*names: str) -> list[Version]:
    return [version(name, NEAR) for name in names]


def made(source: Version, target: Version) -> Action:
    """What keeps the units busy."""
    return Compute((onnx.helper.make_node("Neg", [source.value], [target.value]),), (source,), (target,))


def branches() -> list[Action]:
    """The second and the third wait for the first; the fourth for what the third brings."""
    return [Load(X), made(X, A), Shift(A, B), made(B, C), made(A, D)]


X, A, B, C, D, E, W, NEW, NAME = named("x", "a", "b", "c", "d", "e", "w", "w.next", "w.name")


def in_order(actions: Sequence[Action], efforts: Sequence[Effort]) -> list[Action] | None:
    return ordered(joined(actions), efforts, (W,))


def test_what_can_run_while_results_travel_comes_before_what_waits_for_them() -> None:
    load, first, travels, waits, other = branches()
    found = in_order([load, first, travels, waits, other], [NOTHING, UNITS, TRANSFERS, UNITS, UNITS])
    assert found == [load, first, travels, other, waits]


def test_nothing_changes_where_little_would_be_won() -> None:
    actions = branches()
    long = Effort(1000, 0, 0)
    assert in_order(actions, [NOTHING, long, Effort(0, 5, 0), long, long]) is None
    assert in_order(actions[:4], [NOTHING, UNITS, TRANSFERS, UNITS]) is None


def test_moves_that_wait_for_nothing_run_beside_the_step_before() -> None:
    """With them as late as the others nothing would be won: the units would wait for the load."""
    long = Effort(0, 0, 10_000)
    assert in_order(branches(), [long, UNITS, TRANSFERS, UNITS, UNITS]) is not None


def test_who_reads_a_parameter_under_another_name_stays_before_its_new_value() -> None:
    """The new value could be made while what the reader waits for is on its way, but it goes where the old one is."""
    load, first, travels, new = Load(X), made(X, A), Shift(A, B), made(X, NEW)
    both = Compute((onnx.helper.make_node("Add", ["b", "w.name"], ["d"]),), (B, NAME), (D,))
    actions: list[Action] = [Alias(W, NAME), load, first, travels, both, new, Become(NEW, W)]
    efforts = [NOTHING, NOTHING, UNITS, TRANSFERS, UNITS, UNITS, NOTHING]
    assert in_order(actions, efforts) is None
    found = in_order([load, first, travels, made(B, D), new], [NOTHING, UNITS, TRANSFERS, UNITS, UNITS])
    assert found is not None and found.index(new) == 3


def test_every_order_keeps_who_makes_before_who_reads() -> None:
    actions: list[Action] = [
        Load(X),
        *(made(X, v) for v in (A, B)),
        Shift(A, C),
        made(C, D),
        Alias(W, NAME),
        made(NAME, A),
    ]
    actions += [Store(D), made(A, NEW), Become(NEW, W), Store(B)]
    for busy in combinations(range(len(actions)), 3):
        efforts = [(UNITS, TRANSFERS, MOVES)[number % 3] if number in busy else NOTHING for number in range(11)]
        found = in_order(actions, efforts) or actions
        assert sorted(map(str, found)) == sorted(map(str, actions))
        assert _what_is_read(found) == _what_is_read(actions)


def _what_is_read(actions: Sequence[Action]) -> dict[str, list[str]]:
    """Of each action, by which action each version that it reads was made."""
    makers: dict[Version, str] = {}
    found: dict[str, list[str]] = {}
    for action in actions:
        found[str(action)] = [makers.get(version, "") for version in reads(action)]
        makers |= dict.fromkeys(writes(action), str(action))
    return found


def test_a_product_and_the_sum_of_its_parts_stay_together() -> None:
    parts = version("parts", NEAR)
    product, total = Multiply("nk,mk->nm", X, A, parts), Shift(parts, B, "fadd")
    assert list(order._actions(Joined(product, total))) == [product, total]


def test_what_keeps_units_busy_is_counted_from_lines() -> None:
    lines = assemble("mvp/n512 $d0@0 $lc0@0.0\nl2bmd $lc0 $lb0\nl1bmd $lb0 $lm0v\nlpassa $lm0v $lr0v\n")
    found = effort(lines)
    assert found.transfers == 1 and found.moves >= 4 and found.units == 1


def test_what_waits_for_nothing_comes_ahead_only_if_it_may() -> None:
    """What is made of a parameter, at the end, has more behind it than all the others."""
    load, first, travels, waits, other = branches()
    halves = made(W, E)
    actions: list[Action] = [load, first, travels, waits, other, halves, Shift(E, NEW)]
    efforts = [NOTHING, UNITS, TRANSFERS, UNITS, UNITS, UNITS, Effort(0, 900, 0)]
    early, late = (ordered(joined(actions), efforts, (W,), ahead) for ahead in (True, False))
    assert early is not None and early.index(halves) < early.index(first)
    assert late is not None and late.index(halves) > late.index(other)


# --- of programs ----------------------------------------------------------------------------------------------------


def test_an_order_in_which_more_goes_to_dram_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, written = replaced(), passes.written
    other = [*plan.actions[1:3], plan.actions[0], *plan.actions[3:]]
    monkeypatch.setattr(shortest, "IN_ORDER", 0)
    monkeypatch.setattr(shortest, "ordered", lambda *_: other)
    assert list(build(plan).plan.actions) == other
    assert build(plan, quick=True).plan is plan

    def full(one: Plan, like: Any = None) -> object:
        found = written(one, like)
        if list(one.actions) == other:
            found.pieces.append(ActionCode(Spill(plan.resident[0], back=False), ("nop",) * 1000, {}))
        return found

    monkeypatch.setattr(shortest, "written", full)
    assert build(plan).plan is plan
    monkeypatch.setattr(shortest, "ordered", lambda *given: other if given[-1] else [*plan.actions])
    found = build(plan).plan
    assert found is not plan and found.actions == plan.actions, "the second order has room"


def test_a_program_short_of_room_is_written_in_another_order_with_the_tables_that_it_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, written, likes = replaced(), passes.written, []
    other = [*plan.actions[1:3], plan.actions[0], *plan.actions[3:]]
    monkeypatch.setattr(shortest, "IN_ORDER", 0)
    monkeypatch.setattr(shortest, "ordered", lambda *_: other)

    def short(one: Plan, like: Any = None) -> object:
        likes.append(like)
        found = written(one, like)
        found.code.own_buffers = False
        return found

    monkeypatch.setattr(shortest, "written", short)
    found = build(plan)
    assert list(found.plan.actions) == other
    first, second = likes
    assert first is None and second.plan is plan and set(second.code.set_up) == set(found.tables)
