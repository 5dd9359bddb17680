"""More looks at a graph than one: when they are worth their time, and where they let sums go."""

from __future__ import annotations

from math import inf
from types import SimpleNamespace

import numpy as np
import onnx
import pytest

from benchmarks.shapes import mlp_model
from haribote.graph import Builder
from haribote.stack import moves
from haribote.stack.maps import COPY, PART, Bit, BitMap, address
from haribote.stack.plan import Plan
from haribote.stack.planner import search
from haribote.stack.planner.contractions import _dealt_out as dealt_out
from haribote.stack.planner.families import L1BS, L2BS
from haribote.stack.planner.looks import BY_ROWS, FAR, FEW_IF_CUT, FEW_NODES, FIRST, SECOND, THIRD, worth_another
from haribote.stack.planner.shards import DEALT, Shards
from haribote.stack.planner.tariff import Tariff
from haribote.stack.products.bound import model_bound
from haribote.stack.program.compiled import prepared


def product(size: int, nodes: int = 1) -> Plan:
    """A plan, without actions, of a product of so many rows, and of nodes behind it."""
    b = Builder("product")
    x, w = b.input("x", (size, 256), np.float32), b.input("w", (256, 256), np.float32)
    last = b.op("MatMul", x, w, name="y")
    for number in range(nodes - 1):
        last = b.op("Relu", last, name=f"y{number}")
    b.output(last)
    return Plan(b.finish(), ())


def test_a_plan_far_from_the_least_is_worth_another_look() -> None:
    plan = product(256)
    least = model_bound(plan.graph).cycles
    assert worth_another(plan.graph, plan, FAR * least + 1)
    assert not worth_another(plan.graph, plan, FAR * least)


def test_small_products_and_large_graphs_are_not() -> None:
    small, few, many = product(1), product(256, nodes=20), product(256, nodes=200)
    assert not worth_another(small.graph, small, 1e9)
    assert worth_another(few.graph, few, 1e9)
    assert not worth_another(many.graph, many, 1e9)


def test_a_graph_whose_values_are_all_cut_in_one_way_may_have_more_nodes() -> None:
    few, many = (product(256, nodes=nodes) for nodes in (FEW_NODES, FEW_IF_CUT))
    assert worth_another(few.graph, few, 1e9, is_cut=True) and not worth_another(few.graph, few, 1e9)
    assert not worth_another(many.graph, many, 1e9, is_cut=True)


def test_names_that_a_plan_adds_do_not_make_its_graph_large() -> None:
    plan, model, many = (product(256, nodes=nodes) for nodes in (FEW_NODES - 1, FEW_NODES - 1, FEW_NODES))
    names = [onnx.helper.make_node("Identity", ["y"], [f"y.filled.{number}"]) for number in range(FEW_NODES)]
    plan.graph.graph.node.extend(names)
    assert worth_another(model.graph, plan, 1e9)
    assert not worth_another(many.graph, plan, 1e9)


PARTS = {bit: PART for bit in L1BS} | {bit: COPY for bit in L2BS}


def parts(bits: int) -> BitMap:
    """Rows at so many address bits, columns over the PEs of an L1B; each L1B has a part."""
    table = PARTS | {Bit("W", 0): 0, Bit("PE", 0): 1, Bit("PE", 1): 2}
    table |= {Bit("MAB", number): 3 + number for number in range(4)}
    return BitMap.of("LM", (1 << bits, 128), table | {address(number): 7 + number for number in range(bits)})


def test_sums_are_dealt_out_along_the_highest_bits() -> None:
    (found,) = dealt_out(parts(5), False)
    assert [found[bit] for bit in L1BS] == [9, 10, 11]
    assert [found[address(number)] for number in range(2)] == [7, 8]
    assert found.longs == 4
    assert PART not in found.table.values()


def test_too_few_bits_are_not_dealt_out_nor_what_l1bs_have_no_parts_of() -> None:
    assert dealt_out(parts(4), False) == []
    copied = BitMap.of("LM", (32, 128), dict(parts(5).carries) | dict.fromkeys(L1BS, COPY))
    assert dealt_out(copied, False) == []


def test_dealing_a_sum_out_takes_no_longer_than_copying_it() -> None:
    """One L1B gets an eighth of what all get otherwise."""
    copied = BitMap.of("LM", (32, 128), dict(parts(5).carries) | dict.fromkeys(L1BS, COPY))
    (found,) = dealt_out(parts(5), False)
    assert moves.price(parts(5), found, "fadd") <= moves.price(parts(5), copied, "fadd")


def test_a_third_look_deals_sums_out_over_l2bs_and_groups_too() -> None:
    everywhere = BitMap.of("LM", (256, 128), dict(parts(8).carries) | dict.fromkeys(L2BS, PART))
    over_l1bs, over_l2bs, over_both = dealt_out(everywhere, True)
    assert [over_l1bs] == dealt_out(everywhere, False)
    assert [over_l2bs[bit] for bit in (*L2BS, *L1BS)] == [12, 13, 14, COPY, COPY, COPY]
    assert [over_both[bit] for bit in (*L1BS, *L2BS)] == [9, 10, 11, 12, 13, 14]
    assert [found.longs for found in (over_l1bs, over_l2bs, over_both)] == [32, 32, 4]
    assert dealt_out(parts(8), True) == dealt_out(parts(8), False), "L2Bs hold no parts"


def test_a_third_look_tries_nothing_but_cuts_of_all_axes() -> None:
    model = prepared(mlp_model("320-320-320:64")[0])
    others = [cut for cuts in search._cuts(model, SECOND) for cut in cuts if not isinstance(cut, Shards)]
    cuts = [cut for cuts in search._cuts(model, THIRD) for cut in cuts]
    assert None in others and [cut.dealt for cut in cuts if isinstance(cut, Shards) and cut.shared_out] == [*DEALT]
    assert len(cuts) == len(DEALT)


def test_a_batch_is_dealt_out_by_rows_where_that_may_matter() -> None:
    """Not where all units are full whichever way it is dealt out."""
    odd, even = (prepared(mlp_model(f"320-320-320:{rows}")[0]) for rows in (300, 256))
    cuts = [cut for cuts in search._cuts(odd, BY_ROWS) for cut in cuts]
    assert [cut.dealt for cut in cuts if isinstance(cut, Shards)] == [dealt._replace(by_rows=True) for dealt in DEALT]
    assert len(cuts) == len(DEALT) and not list(search._cuts(even, BY_ROWS))


@pytest.mark.parametrize("far", [False, True])
def test_plans_come_from_both_looks_where_one_is_not_enough(far: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tariff, "learn", lambda *asked: False)
    monkeypatch.setattr(search, "worth_another", lambda *given: far)
    looks = []
    facts = search.Facts

    def noted(*given: object) -> object:
        looks.append(given[-1])
        return facts(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(search, "Facts", noted)
    found = list(search.plans(product(64, nodes=2).graph, beam=2))
    assert len(found) == 1 + far
    assert list(dict.fromkeys(looks)) == [FIRST, SECOND][: 1 + far]
    assert len(list(search.plans(product(64).graph, beam=2, quick=True))) == 1


def test_plans_that_are_not_much_dearer_have_rows_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = [100.0, 100 * search.RIVAL - 1, 100 * search.RIVAL]
    plannings = [SimpleNamespace(cost=cost, plan=lambda cost=cost: cost, found=None, is_cut=False) for cost in costs]
    monkeypatch.setattr(search, "_plannings", lambda *given: plannings)
    monkeypatch.setattr(search, "worth_another", lambda *given: False)
    graph = product(64).graph
    assert [[*row] for row in search.plans(graph)] == [costs, costs[1:2]]
    assert [[*row] for row in search.plans(graph, quick=True)] == [costs]


def test_plans_with_a_batch_by_rows_stand_beside_others_that_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, float]] = []

    def plannings(
        model: object, beam: int, quick: bool, look: object, facts: object, limit: float = inf
    ) -> list[object]:
        asked.append((look, limit))
        cost = 100.0 if look is FIRST else 120.0
        return [SimpleNamespace(cost=cost, plan=lambda: cost, found=None, is_cut=True)]

    monkeypatch.setattr(search, "_plannings", plannings)
    monkeypatch.setattr(search, "worth_another", lambda *given: False)
    assert [[*row] for row in search.plans(product(64).graph)] == [[100.0], [120.0]]
    assert asked == [(FIRST, inf), (BY_ROWS, 100 * search.RIVAL)]
