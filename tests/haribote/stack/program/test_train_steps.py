"""Train steps of small networks at -O2: three steps against the reference evaluator."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from haribote.compiler import compile_for_sim, start_session
from haribote.frontend.torch import trace_step
from haribote.graph import Index, evaluate, updates
from haribote.stack.planner.facts import Facts
from haribote.stack.planner.one_round import ordered
from haribote.stack.planner.tariff import Tariff
from haribote.training.models import mlp
from simulator import Machine
from tests.long_runs import LONG


def check(widths: tuple[int, ...], batch: int, momentum: float = 0.0, bias: bool = True) -> None:
    """Parameters and loss after each of three steps are the reference's, to a few roundings."""
    model = mlp(*widths, bias=bias)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=momentum)
    graph = trace_step(model, optimiser, torch.zeros(batch, widths[0]), torch.zeros(batch, dtype=torch.int64))
    index, random = Index(graph), np.random.default_rng(0)
    feeds = {name: np.zeros(index.shape[name], index.dtype[name]) for name in index.inputs}
    feeds |= {name: value.detach().numpy() for name, value in model.named_parameters()}
    feeds["x"] = random.uniform(-0.4, 2.8, (batch, widths[0])).astype(np.float32)
    feeds["labels"] = random.integers(0, widths[-1], batch)
    session = start_session(compile_for_sim(graph, level=2), Machine("native"))
    for name, value in feeds.items():
        session.write(name, value)
    for _ in range(3):
        session.step({"x": feeds["x"], "labels": feeds["labels"]})
        wanted = evaluate(graph, feeds)
        assert session.read("loss") == pytest.approx(wanted["loss"], rel=1e-5)
        for name, after in updates(graph).items():
            assert np.abs(session.read(name) - wanted[after]).max() < 1e-6, name
            feeds[name] = wanted[after]


def test_every_node_is_planned_after_what_it_reads() -> None:
    """With momentum, an updated value is read by another update."""
    model = mlp(3, 2)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    graph = trace_step(model, optimiser, torch.zeros(4, 3), torch.zeros(4, dtype=torch.int64))
    nodes = ordered(Facts(graph, Tariff()))
    assert len(nodes) == len(graph.graph.node)
    missing = {name for node in nodes for name in node.output}
    for node in nodes:
        assert missing.isdisjoint(node.input), node.name
        missing -= set(node.output)


@pytest.mark.slow
def test_momentum() -> None:
    check((3, 2), 4, momentum=0.9)


@LONG
@pytest.mark.slow
@pytest.mark.parametrize(("widths", "batch"), [((7, 5, 3), 4), ((100, 33, 10), 50), ((40, 24, 16, 20), 32)])
def test_odd_sizes_and_three_layers(widths: tuple[int, ...], batch: int) -> None:
    check(widths, batch)


@LONG
@pytest.mark.slow
def test_momentum_of_two_layers() -> None:
    check((7, 5, 3), 4, momentum=0.9)


@LONG
@pytest.mark.slow
def test_without_bias() -> None:
    check((10, 8, 4), 8, bias=False)


@LONG
@pytest.mark.slow
def test_a_wide_hidden_layer() -> None:
    """Some moves are larger than the buffers on their way."""
    check((784, 128, 10), 256)
