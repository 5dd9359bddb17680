"""A beam keeps what sorting all states would keep, and rules that know its limit lose nothing that it keeps."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random

import numpy as np
import onnx
import pytest

from haribote.graph import Builder
from haribote.stack.maps import BitMap, W, address
from haribote.stack.plan import Version
from haribote.stack.planner import search
from haribote.stack.planner.beam import Beam
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.states import State
from haribote.stack.planner.tariff import Tariff

MAPS = [BitMap.of("LM", (4,), {W: first, address(0): 1 - first}) for first in (0, 1)]


def product() -> onnx.ModelProto:
    builder = Builder("product")
    for name, shape in (("x", (64, 16)), ("w", (16, 32)), ("v", (32, 8))):
        builder.input(name, shape, np.float32)
    builder.op("MatMul", "x", "w", name="y")
    builder.op("MatMul", "y", "v", name="z")
    builder.output("z")
    return builder.finish()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_it_keeps_the_cheapest_of_every_set_of_layouts(size: int) -> None:
    random, empty = Random(size), State(Facts(product(), Tariff()))
    states = []
    for _ in range(200):
        versions = {name: (Version(name, random.choice(MAPS), ((4,),)),) for name in random.sample("abcd", 2)}
        states.append(replace(empty, cost=float(random.randrange(30)), versions=versions))
    beam = Beam(size, frozenset("abc"))
    for state in states:
        beam.offer(state)
    wanted: dict[object, float] = {}
    for state in sorted(states, key=lambda state: state.cost):  # in the order in which they were offered where equal
        wanted.setdefault(
            frozenset((name, *found) for name, found in state.versions.items() if name in "abc"), state.cost
        )
    assert [state.cost for state in beam.states()] == list(wanted.values())[:size]
    assert all("d" not in state.versions for state in beam.states())


def test_a_limit_changes_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tariff, "learn", lambda *asked: False)
    actions = next(next(search.plans(product(), beam=2))).actions
    offered, offer = [0, 0], Beam.offer

    def without_limit(beam: Beam, state: State) -> None:
        offered[1] += 1
        offer(beam, state)
        beam.limit = inf

    def counted(beam: Beam, state: State) -> None:
        offered[0] += 1
        offer(beam, state)

    monkeypatch.setattr(Beam, "offer", counted)
    next(next(search.plans(product(), beam=2)))
    monkeypatch.setattr(Beam, "offer", without_limit)
    assert next(next(search.plans(product(), beam=2))).actions == actions
    assert offered[0] < offered[1]
