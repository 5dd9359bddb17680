"""The order of stretches: valid, and as few as any order has, by brute force."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import onnx
import pytest

from haribote.errors import HariboteError
from haribote.graph import Builder, Index
from haribote.partition.phases import between, phases
from haribote.partition.pieces import Side


def random_graph(seed: int, count: int) -> tuple[onnx.ModelProto, dict[str, Side]]:
    """Additions of random earlier values, each on a random side."""
    random, builder = np.random.default_rng(seed), Builder("random")
    values = [builder.input("x", (4,), np.float32)]
    for number in range(count):
        picked = random.choice(values[-4:], 2)
        values.append(builder.op("Add", *map(str, picked), name=f"n{number}"))
    model = builder.model
    read = {name for node in model.graph.node for name in node.input}
    for value in values[1:]:
        if value not in read:
            builder.output(value)
    sides: dict[str, Side] = {f"n{i}": ("chip", "host")[int(random.integers(2))] for i in range(count)}
    return builder.finish(), sides


def changes(order: list[onnx.NodeProto], sides: dict[str, Side]) -> int:
    return 1 + sum(sides[a.name] != sides[b.name] for a, b in pairwise(order))


def valid(order: list[onnx.NodeProto]) -> bool:
    there = {"x"}
    for node in order:
        if not there.issuperset(node.input):
            return False
        there.update(node.output)
    return True


@pytest.mark.parametrize("seed", range(12))
def test_no_order_has_fewer_stretches(seed: int) -> None:
    model, sides = random_graph(seed, 6)
    found = phases(model, sides, Index(model))
    order = [node for _, nodes in found for node in nodes]
    assert sorted(node.name for node in order) == sorted(sides) and valid(order)
    assert all(sides[node.name] == side for side, nodes in found for node in nodes)
    best = min(changes(list(other), sides) for other in permutations(model.graph.node) if valid(list(other)))
    assert len(found) == best


@pytest.mark.parametrize("seed", range(5))
def test_larger_graphs_are_in_order(seed: int) -> None:
    model, sides = random_graph(100 + seed, 80)
    found = phases(model, sides, Index(model))
    assert valid([node for _, nodes in found for node in nodes])
    assert all(a[0] != b[0] for a, b in pairwise(found))


def test_a_node_waits_for_its_reader_where_less_crosses_then() -> None:
    builder = Builder("late")
    x = builder.input("x", (1000,), np.float32)
    first = builder.op("Neg", x, name="first")
    large = builder.op("Exp", x, name="large")  # could run at once, but only `last` reads it
    middle = builder.op("Abs", first, name="middle")
    builder.output(builder.op("Add", middle, large, name="last"))
    model = builder.finish()
    sides: dict[str, Side] = {"first": "chip", "large": "chip", "middle": "host", "last": "chip"}
    names = [[node.name for node in nodes] for _, nodes in phases(model, sides, Index(model))]
    assert names == [["first"], ["middle"], ["large", "last"]]


def test_a_chain_waits_as_a_whole_where_each_node_alone_saves_nothing() -> None:
    builder = Builder("chain")
    x = builder.input("x", (4,), np.float32)
    other = builder.op("Exp", builder.op("Neg", x, name="one"), name="two")
    host = builder.op("Abs", builder.op("Sqrt", x, name="first"), name="middle")
    builder.output(builder.op("Add", host, other, name="last"))
    model = builder.finish()
    sides: dict[str, Side] = {name: "host" if name == "middle" else "chip" for name in Index(model).node}
    names = [[node.name for node in nodes] for _, nodes in phases(model, sides, Index(model))]
    assert names == [["first"], ["middle"], ["one", "two", "last"]]


@pytest.mark.parametrize("wrong", [{"first": 1, "middle": 1}, {"first": 2, "middle": 1}, {"first": 0}])
def test_stretches_that_are_no_order_are_refused(wrong: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    builder = Builder("pair")
    first = builder.op("Neg", builder.input("x", (4,), np.float32), name="first")
    builder.output(builder.op("Abs", first, name="middle"))
    model = builder.finish()
    monkeypatch.setattr("haribote.partition.phases.stretches", lambda *_: wrong)
    with pytest.raises(HariboteError, match="cannot be in stretch"):
        phases(model, {"first": "chip", "middle": "host"}, Index(model))


def test_parts_between_host_nodes() -> None:
    builder = Builder("parts")
    x = builder.input("x", (4,), np.float32)
    a = builder.op("Abs", x, name="a")
    b = builder.op("Neg", a, name="b")
    c = builder.op("Exp", x, name="c")
    builder.output(builder.op("Add", b, c, name="d"))
    model = builder.finish()
    sides: dict[str, Side] = {"a": "host", "b": "chip", "c": "chip", "d": "host"}
    nodes = [node for node in model.graph.node if sides[node.name] == "chip"]
    assert [[node.name for node in part] for part in between(nodes, sides, Index(model))] == [["b"]]
