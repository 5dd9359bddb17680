"""Pieces are as large as they can be, run in an order that works, and leave random numbers in theirs."""

from __future__ import annotations

import torch
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

from haribote.frontend.dynamo.partition import operations, partition
from haribote.frontend.dynamo.support import random


def parts_of(function, *args, torchs=("sort",)):
    graph: fx.Graph = make_fx(function, tracing_mode="fake")(*args).graph
    found = partition(graph, lambda node: not any(name in str(node.target) for name in torchs), random)
    known = set(graph.find_nodes(op="placeholder"))
    for part in found:
        for node in part.nodes:
            assert all(read in known or read in part.nodes for read in node.all_input_nodes), node
            known.add(node)
    assert known == {*graph.find_nodes(op="placeholder"), *operations(graph)}
    return found


X = torch.zeros(4, 4)


def names(part) -> list[str]:
    return [str(node.target).split(".")[1] if "." in str(node.target) else "item" for node in part.nodes]


def test_all_that_is_taken_is_one_piece():
    (part,) = parts_of(lambda x: (x + 1) * (x - 1), X)
    assert part.compiled and names(part) == ["add", "sub", "mul"]


def test_branches_beside_a_stranger_are_one_piece():
    """What does not need the sorted values is with what comes before, what needs them comes after: two pieces."""
    found = parts_of(lambda x: (x.sin() + x.sort()[0] * 2, x.cos() * x.sin()), X)
    assert [names(part) for part in found if part.compiled] == [["sin", "cos", "sin", "mul"], ["mul", "add"]]


def test_a_way_out_and_back_is_no_circle():
    found = parts_of(lambda x: (x + 1).sort()[0] + (x + 1), X)
    assert [part.compiled for part in found] == [True, False, True]


def test_what_only_moves_stays_with_torch_and_goes_to_its_reader():
    found = parts_of(lambda x: x.t().sort()[0].t(), X)
    assert not any(part.compiled for part in found)
    first, _, last = parts_of(lambda x: (x * 2, x.sort()[0] * x.t()), X)
    assert (names(first), names(last)) == (["mul"], ["t", "mul"])


def test_random_numbers_stay_in_their_order():
    """The second one could be drawn at once, the first one has to wait for a piece."""
    found = parts_of(lambda x: (torch.bernoulli((x + 1) * 0.5), torch.bernoulli(x)), X, torchs=("bernoulli",))
    drawn = [node for part in found for node in part.nodes if random(node)]
    assert [node.args[0].op for node in drawn] == ["call_function", "placeholder"]


def test_halves_do_not_cut_results_from_their_operation():
    (part,) = parts_of(lambda x: x.max(1)[1], X, torchs=())
    first, second = part.halves()
    assert (names(first), names(second)) == (["max", "item", "item"], [])
