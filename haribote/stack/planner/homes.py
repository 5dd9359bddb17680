"""Where parameters are kept from step to step: where they are read, or where what updates them is.

A product wants a weight copied to many units, but its gradient is dealt out over them. Kept where it is read, the
update has to travel at the end of a step and is added in every copy; kept where its gradient is, the weight travels at
the beginning, when little else is to be done, and is updated once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import onnx

from haribote.stack.plan import Action, Shift, Version, reads
from haribote.stack.planner.states import NoWay, State, groups
from haribote.stack.planner.tariff import NEVER
from simulator.isa import STEP_CYCLES

WORTH = 100
"""Cycles that go from the end of a step, from which on it is worth it: in a step of small products all waits for what
is at its beginning."""


def kept_elsewhere(state: State, node: onnx.NodeProto) -> Iterator[State]:
    """The states before the update of a parameter in which it is kept where another operand of the update is."""
    facts = state.facts
    parameter = facts.updated[node.output[0]]
    there = state.residents(parameter)
    shape, split = facts.index.shape[parameter], there[0].split
    beside = [
        version.map
        for name in dict.fromkeys(node.input)
        if name and name != parameter and facts.index.shape[name] == shape
        for version in state.of(name)
        if version.split == split
    ]
    for found in dict.fromkeys(beside):
        home = replace(there[0], map=found)
        others = [version for version in there if version != home]
        if any(version.split != split for version in others):
            continue
        prices = [facts.tariff.price(found, version.map) for version in others]
        updated = sum(groups(version.map) for version in there) - groups(found)
        if sum(prices) + STEP_CYCLES * updated >= WORTH and max(prices, default=0.0) < NEVER:
            with suppress(NoWay):
                yield _kept(state, home, others, prices)


def _kept(state: State, home: Version, others: Sequence[Version], prices: Sequence[float]) -> State:
    """With a parameter kept in one version, from which its others come: `fetched` puts these moves to where they
    belong. Raises NoWay."""
    if home not in state.residents(home.value):
        state = state.settled(home)
    for version, price in zip(others, prices, strict=True):
        state = state.did(Shift(home, version), price)
    return replace(state, resident={**state.resident, home.value: (home,)})


def fetched(actions: Sequence[Action], residents: Collection[Version]) -> tuple[Action, ...]:
    """The actions with every move from a resident right before the first that reads what it brings."""
    found = list(actions)
    for action in actions:
        if isinstance(action, Shift) and action.source in residents:
            first = next(n for n, other in enumerate(found) if other is action or action.target in reads(other))
            if found[first] is not action:
                found.remove(action)
                found.insert(first, action)
    return tuple(found)
