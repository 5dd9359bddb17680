"""A rule is worked out once for states that look the same to it, and finds what it would find for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import onnx
import pytest

from haribote.graph import Index
from haribote.stack.plan import Version
from haribote.stack.planner import one_round
from haribote.stack.planner.alike import Alike
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.states import State
from haribote.stack.planner.tariff import Tariff
from haribote.stack.program.compiled import prepared
from tests.haribote.stack.planner.test_beam import product

Rule = Callable[[State], Iterator[State]]


def version(facts: Facts, name: str, number: int) -> Version:
    return facts.versions(name)[number]


def steps(of: Rule, state: State) -> list[tuple[float, int, tuple[Version, ...]]]:
    """What followers add: cycles, actions, versions of w."""
    return [(f.cost - state.cost, len(f.actions()) - len(state.actions()), f.of("w")) for f in of(state)]


def test_what_a_rule_does_not_look_at_makes_no_difference() -> None:
    facts = Facts(product(), Tariff())
    asked: list[State] = []

    def rule(state: State) -> Iterator[State]:
        asked.append(state)
        for there in state.of("x"):
            yield state.settled(version(facts, "w", there.map.longs % 2), 3.0)

    start = State(facts)
    first = start.settled(version(facts, "x", 0))
    other = first.settled(version(facts, "v", 0), 5.0)  # which the rule does not look at
    third = start.settled(version(facts, "x", 1), 7.0)
    alike = Alike(rule)
    found = [steps(alike, state) for state in (first, other, third)]
    assert asked == [first, third]
    assert found == [steps(rule, state) for state in (first, other, third)]


def test_what_was_there_already_makes_one() -> None:
    facts = Facts(product(), Tariff())

    def rule(state: State) -> Iterator[State]:
        yield state.settled(version(facts, "w", 0), 1.0)

    alike = Alike(rule)
    first, second = State(facts), State(facts).settled(version(facts, "w", 1))
    assert [len(found.of("w")) for state in (first, second) for found in alike(state)] == [1, 2]


@pytest.mark.parametrize("widths", ["784-16-10:256", "100-40-30-10:64"])
def test_plans_are_the_same_as_without(widths: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = pytest.importorskip("benchmarks.shapes")
    model: onnx.ModelProto = prepared(shapes.mlp_model(widths)[0])
    assert Index(model).inputs
    tariff = Tariff()
    cost, found = one_round.planned(Facts(model, tariff), 12, 1)
    monkeypatch.setattr(one_round, "Alike", lambda rule: rule)
    other_cost, other = one_round.planned(Facts(model, tariff), 12, 1)
    assert (round(cost, 6), str(found.actions)) == (round(other_cost, 6), str(other.actions))
    assert found.residents == other.residents
