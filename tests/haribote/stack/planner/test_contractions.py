"""Products in the planner: a limit leaves out what costs more, and nothing else."""

from __future__ import annotations

from math import inf

import pytest

from haribote.stack.plan import Version
from haribote.stack.planner.contractions import product as followers
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.states import State
from haribote.stack.planner.tariff import Tariff
from tests.haribote.stack.planner.test_beam import product


def test_a_limit_leaves_out_what_costs_more_and_nothing_else() -> None:
    facts = Facts(product(), Tariff())
    state, node = State(facts), facts.model.graph.node[0]
    everything = [(found.cost, found.actions()) for found in followers(state, node)]
    costs = sorted(cost for cost, _ in everything)
    for limit in (costs[len(costs) // 8], costs[len(costs) // 2]):
        facts.limit = limit
        some = [(found.cost, found.actions()) for found in followers(state, node)]
        assert len(some) < len(everything)  # those of the first pair are wanted at any cost
        assert [found for found in some if found[0] < limit] == [found for found in everything if found[0] < limit]


def test_the_second_operand_is_brought_only_where_the_first_is_not_too_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Facts(product(), Tariff())
    asked: list[str] = []
    get = State.get

    def noted(state: State, wanted: Version, place_only: bool = False) -> tuple[State, Version]:
        asked.append(wanted.value)
        return get(state, wanted, place_only)

    monkeypatch.setattr(State, "get", noted)
    counts = []
    for limit in (inf, 0.0):
        asked.clear()
        facts.limit = limit
        list(followers(State(facts), facts.model.graph.node[0]))
        counts.append(len(asked))
    assert counts[1] < counts[0] / 10
