"""Optimisers inside a traced step take torch's own steps."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from haribote.frontend.compiled import CompiledGraph, Options
from haribote.frontend.torch import trace_step
from haribote.graph import Index, updates
from tests.long_runs import LONG

X = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
LABELS = torch.tensor([0, 2, 1, 1, 0])
SGD, ADAM, ADAMW = torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW
KINDS = [
    (SGD, {"momentum": 0.9, "dampening": 0.5, "weight_decay": 0.1}),
    (SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    (SGD, {"maximize": True, "momentum": 0.5}),
    (ADAM, {}),
    (ADAM, {"weight_decay": 0.3, "amsgrad": True, "betas": (0.8, 0.9)}),
    (ADAM, {"maximize": True, "eps": 1e-3}),
    (ADAMW, {"weight_decay": 0.3}),
    (ADAMW, {"amsgrad": True}),
]


def check(kind: type[torch.optim.Optimizer], given: dict, device: str, steps: int = 5) -> None:
    """Parameters and losses of some steps are those of torch's optimiser."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 3))
    optimizer = kind(model.parameters(), lr=0.05, **given)
    traced = trace_step(model, optimizer, X, LABELS)
    graph, index = CompiledGraph(traced, Options(device)), Index(traced)
    start = {name: value.detach().numpy().copy() for name, value in model.named_parameters()}
    for name in updates(traced):
        graph.write(name, start.get(name, np.zeros(index.shape[name], index.dtype[name])))
    for step in range(steps):
        outputs = graph({"x": X.numpy(), "labels": LABELS.numpy()})
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X), LABELS)
        loss.backward()
        optimizer.step()
        assert outputs["loss"] == pytest.approx(loss.item(), rel=1e-5), step
        for name, value in model.named_parameters():
            np.testing.assert_allclose(graph.read(name), value.detach().numpy(), rtol=1e-5, atol=2e-6, err_msg=name)
    if device == "chip":
        assert graph.coverage.split(" of ")[0] == graph.coverage.split(" of ")[1]


@pytest.mark.parametrize(("kind", "given"), KINDS)
def test_five_steps(kind, given):
    check(kind, given, "host")


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "given"), [KINDS[0], KINDS[3]])
def test_five_steps_on_the_chip(kind, given):
    check(kind, given, "chip")


@pytest.mark.slow
@LONG
@pytest.mark.parametrize(("kind", "given"), KINDS)
def test_all_on_the_chip(kind, given):
    check(kind, given, "chip")


def test_groups_have_states_of_their_own_and_frozen_parameters_none():
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
    model[0].weight.requires_grad_(False)
    groups = [{"params": model[0].parameters(), "lr": 0.1}, {"params": model[2].parameters(), "betas": (0.5, 0.9)}]
    optimizer = ADAM(groups, lr=0.01)
    traced = trace_step(model, optimizer, X, LABELS)
    states = {name for name in updates(traced) if name not in dict(model.named_parameters())}
    trained = ("0.bias", "2.weight", "2.bias")
    assert states == {f"{name}.{state}" for name in trained for state in ("mean", "square")} | {
        f"optimiser.{group}.correction{k}" for group in (0, 1) for k in (1, 2)
    }
    assert "0.weight" not in updates(traced)
