"""Chains: plans beside all plans; prices beside programs; how far words travel beside the fast form."""

from __future__ import annotations

from itertools import groupby, product
from random import Random

import pytest

from haribote.speed.chain import (
    LAYOUTS,
    cheapest_layouts,
    cost_of_plan,
    fused,
    map_of,
    move_between,
    moves_between,
    sinkhorn,
    ways_between,
    work_of,
)
from haribote.speed.travel import carried, how_far
from haribote.stack.collection import collection, pairs
from haribote.stack.maps import level_of_change


@pytest.mark.parametrize("seed", range(4))
def test_no_plan_is_cheaper(seed: int) -> None:
    rng = Random(seed)
    move = {(a, b): float(rng.randint(1, 30)) if a != b else 0.0 for a in "ABC" for b in "ABC"}
    work = [{layout: float(rng.randint(0, 20)) for layout in rng.sample("ABC", rng.randint(1, 3))} for _ in range(6)]
    plan = cheapest_layouts(work, move, "A", "B")
    least = min(cost_of_plan(other, work, move, "A", "B") for other in product(*work))
    assert cost_of_plan(plan, work, move, "A", "B") == least


def test_the_plain_form_says_what_the_fast_one_says() -> None:
    layouts = collection()
    found = 0
    for before, after in pairs():
        one, other = layouts[before], layouts[after]
        if one.memory == other.memory == "LM":
            fast = level_of_change(one, other)
            assert how_far(carried(one), carried(other)) == ("PE" if fast == "none" else fast), (before, after)
            found += 1
    assert found > 50


def test_one_loop_is_cheaper_than_one_line_per_operator() -> None:
    apart = fused("Neg", "Abs", "Neg", layout="near", together=False)
    assert fused("Neg", "Abs", "Neg", layout="near").cycles < apart.cycles


@pytest.mark.slow
def test_a_long_chain_leaves_its_layout() -> None:
    move, found = moves_between(), {}
    for rounds in (2, 20):
        work = [work_of(operator) for operator in sinkhorn(rounds)]
        found[rounds] = set(cheapest_layouts(work, move, "A", "A"))
    assert found == {2: {"A"}, 20: {"A", "mab"}}
    assert all(map_of(layout).shape == (256, 16) for layout in LAYOUTS)


def test_the_ways_of_a_move_are_the_instructions_of_its_program() -> None:
    words = (line.split()[0].partition("@")[0] for line in move_between("B", "A").text.splitlines())
    written = [name for name, _ in groupby(word for word in words if not word.startswith("nop"))]
    assert written == [way.split()[0] for way in ways_between("B", "A")] == ["l1bmm", "l2bm", "l2bmd", "l1bmm"]
