"""Plans of small graphs, by guessed prices: no path is searched for."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, set_metadata
from haribote.stack.maps import BitMap
from haribote.stack.plan import Alias, Become, Load, Multiply, Plan, Store, Version, reads, writes
from haribote.stack.planner import search
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.one_round import Found, _no_layout, ordered, planned
from haribote.stack.planner.search import plans
from haribote.stack.planner.tariff import NEVER, Tariff


@pytest.fixture(autouse=True)
def guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices that nobody looks up."""
    monkeypatch.setattr(Tariff, "learn", lambda *asked: False)


def first(model: onnx.ModelProto) -> Plan:
    return next(next(plans(model)))


def step() -> onnx.ModelProto:
    """A layer and a step that is as good as any: y = relu(x w), w.next = w - 0.1 x^T y."""
    builder = Builder("step")
    builder.input("x", (64, 16), np.float32)
    builder.input("w", (16, 8), np.float32)
    builder.op("MatMul", "x", "w", name="z")
    builder.op("Relu", "z", name="y")
    builder.op("Transpose", "x", name="t", perm=[1, 0])
    builder.op("MatMul", "t", "y", name="g")
    builder.op("Mul", "g", builder.constant(np.array(0.1, np.float32), "rate"), name="d")
    builder.op("Sub", "w", "d", name="w.next")
    builder.output("y")
    builder.output("w.next")
    model = builder.finish()
    set_metadata(model, updates=json.dumps({"w": "w.next"}))
    return model


def versions_are_made_before_they_are_read(found: Plan) -> None:
    there: set[Version] = set(found.resident)
    for action in found.actions:
        missing = set(reads(action)) - there
        assert not missing, (action, missing)
        there.update(writes(action))


@pytest.mark.slow
def test_what_is_read_was_made_before() -> None:
    found = first(step())
    versions_are_made_before_they_are_read(found)
    assert sum(isinstance(action, Multiply) for action in found.actions) == 2
    assert {action.target.value for action in found.actions if isinstance(action, Load)} == {"x"}
    assert [action.source.value for action in found.actions if isinstance(action, Store)] == ["y"]


def test_all_residents_of_a_parameter_become_what_it_is_updated_to() -> None:
    found = first(step())
    became = [action for action in found.actions if isinstance(action, Become)]
    assert {action.parameter for action in became} == {v for v in found.resident if v.value == "w"} != set()
    for action in became:
        assert action.source.value == "w.next"
        assert action.source.map.satisfies(action.parameter.map)


def test_a_view_costs_no_words() -> None:
    found = first(step())
    for action in found.actions:
        if isinstance(action, Alias):
            assert action.source.map.longs == action.target.map.longs


def test_an_operator_without_a_rule_is_named() -> None:
    builder = Builder("odd")
    builder.input("x", (4, 4), np.float32)
    builder.op("Det", "x", name="odd_one")
    builder.output("odd_one")
    with pytest.raises(NotPlanned, match="odd_one"):
        first(builder.finish())


@pytest.mark.slow
def test_prices_that_never_settle_end_with_the_cheapest_known_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every move proves dearer the later it is asked for; the first plan is then the one to take."""
    made: list[Found] = []

    def noted(*given: object) -> tuple[float, Found]:
        cost, found = planned(*given)  # type: ignore[arg-type]
        made.append(found)
        return cost, found

    def learn(tariff: Tariff, source: BitMap, target: BitMap, combine: str = "") -> bool:
        for guessed in tariff._guessed.values():
            guessed[source, target, combine] = 50.0 if len(made) == 1 else NEVER
        tariff._now.clear()
        return True

    monkeypatch.setattr(search, "planned", noted)
    monkeypatch.setattr(Tariff, "learn", learn)
    monkeypatch.setattr(search, "ROUNDS", 3)
    monkeypatch.setattr(search, "LEAST_ROUNDS", 3)
    planning = search.Planning(Facts(step(), Tariff()), search.BEAM, quick=False)
    planning.go_on()
    assert planning.found is made[0]
    assert len(made) == 3


@pytest.mark.parametrize(
    ("costs", "boldly"),
    [
        ([9, 8, 7, 8, 8, 8, 0], [True, False, False, False, True, False]),  # in vain three times in turn
        ([9, 10, 7, 8, 6, 9, 9, 9], [True, False, True, True, False, False, True, False]),
    ],
)
def test_what_helped_goes_on(costs: list[float], boldly: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    planning = search.Planning(Facts(step(), Tariff()), 4, quick=False)
    done: list[bool] = []

    def one_round(planning: search.Planning, boldly: bool, limit: float) -> None:
        planning.cost = min(planning.cost, costs[len(done)])
        done.append(boldly)

    monkeypatch.setattr(search.Planning, "_round", one_round)
    planning.go_on()
    assert done == boldly


def test_updates_come_last() -> None:
    model = step()
    facts = Facts(model, Tariff())
    assert ordered(facts)[-1].output[0] == "w.next"


def test_a_value_that_is_too_large_is_named() -> None:
    b = Builder("rows")
    x = b.input("x", (4096, 8192), np.float32)
    b.output(b.op("Gather", x, b.constant(np.array([3, 1]), "rows"), name="y", axis=0))
    model = b.finish()
    text = str(_no_layout(Facts(model, Tariff()), model.graph.node[0]))
    assert "'x' (4096x8192) needs 8192 words per PE, and a value may have 3072" in text
    assert "cut into pieces" in text
