"""RNN, GRU and LSTM in both directions under torch.compile: their steps are compiled, forward and backward."""

from __future__ import annotations

import copy
import functools

import pytest
import torch
from torch import Tensor, nn

from haribote.frontend.dynamo import explain
from haribote.frontend.dynamo.entry import backend


class Recurrent(nn.Module):
    """A layer and a head on all of its results."""

    def __init__(self, kind: type[nn.RNNBase], **options: bool | int) -> None:
        super().__init__()
        self.layer = kind(6, 5, **options)
        self.head = nn.Linear(10 if self.layer.bidirectional else 5, 2)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.head(self.layer(x)[0])
        return found


KINDS = (nn.RNN, nn.GRU, nn.LSTM)
OPTIONS = ({}, {"bidirectional": True, "num_layers": 2, "batch_first": True}, {"bias": False})
CASES = [(kind, options) for kind in KINDS for options in OPTIONS]


def agree(kind: type[nn.RNNBase], options: dict[str, bool | int], device: str) -> None:
    torch.manual_seed(0)
    torch.compiler.reset()
    model, x = Recurrent(kind, **options), torch.randn(3, 4, 6)
    eager = copy.deepcopy(model)
    compiled = torch.compile(model, backend=functools.partial(backend, options={"device": device}))
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), eager(x), rtol=1e-5, atol=1e-6)
    enabled = torch.backends.mkldnn.enabled
    for each, call in ((model, compiled), (eager, eager)):
        call(x).square().sum().backward()
        assert each.layer.weight_hh_l0.grad is not None
    for one, other in zip(model.parameters(), eager.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)
    assert torch.backends.mkldnn.enabled == enabled
    found = explain(model, x, options={"device": device})
    assert [graph.name for graph in found.graphs] == ["forward", "backward"]
    assert not any(graph.left for graph in found.graphs)


@pytest.mark.some(3)
@pytest.mark.parametrize(("kind", "options"), CASES)
@pytest.mark.filterwarnings("error:.*stays with PyTorch")
def test_on_the_host(kind: type[nn.RNNBase], options: dict[str, bool | int]) -> None:
    agree(kind, options, "host")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("error:.*stays with PyTorch")
def test_on_the_chip(kind: type[nn.RNNBase]) -> None:
    agree(kind, {"bidirectional": True}, "chip")


@pytest.mark.filterwarnings("error")
def test_where_flags_are_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As torch's own tests do it: oneDNN is turned off by the way that is always allowed, and nothing is warned of."""
    monkeypatch.setattr(torch.backends, "__allow_nonbracketed_mutation_flag", False)
    found = explain(Recurrent(nn.GRU), torch.randn(2, 3, 6), options={"device": "host"})
    assert found.graphs and not any(graph.left for graph in found.graphs)
