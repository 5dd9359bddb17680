"""Convolution and pooling at -O2, forward, backward and in train steps, against the reference evaluator."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
import torch
from torch import nn

from haribote.compiler import compile_for_sim, start_session
from haribote.core.checker import VARIABLE
from haribote.frontend.torch import trace_step
from haribote.graph import Index, complete, evaluate, updates
from haribote.training.models import lenet
from simulator import Machine
from tests.long_runs import LONG, long_runs

FIRST = "(float[2,1,8,8] x, float[4,1,3,3] w, float[4] b) => (float[a,b,c,d] y) { y = Conv(x, w, b) }"
FORWARD = {
    "several channels": "(float[2,3,6,6] x, float[5,3,3,3] w) => (float[a,b,c,d] y) { y = Conv<pads=[1,1,1,1]>(x, w) }",
    "uneven": "(float[2,3,7,6] x, float[4,3,3,2] w, float[4] b) => (float[a,b,c,d] y) "
    "{ y = Conv<pads = [1,0,1,1], strides = [2,1], dilations = [1,2]>(x, w, b) }",
    "one place": "(float[3,6,5,4] x, float[4,6,1,1] w) => (float[a,b,c,d] y) { y = Conv(x, w) }",
    "transposed": "(float[2,4,4,3] x, float[4,3,3,2] w) => (float[a,b,c,d] y) "
    "{ y = ConvTranspose<strides = [2,1], pads = [1,0,0,1]>(x, w) }",
    "largest": "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = MaxPool<kernel_shape = [2,2], strides = [2,2]>(x) }",
    "largest of overlapping": "(float[2,3,8,6] x) => (float[a,b,c,d] y) "
    "{ y = MaxPool<kernel_shape = [3,3], strides = [2,1], pads = [1,1,1,1]>(x) }",
    "mean": "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = AveragePool<kernel_shape = [2,2], strides = [2,2]>(x) }",
    "mean of overlapping": "(float[2,3,8,6] x) => (float[a,b,c,d] y) "
    "{ y = AveragePool<kernel_shape = [3,2], pads = [1,1,1,0]>(x) }",
    "mean of all": "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = GlobalAveragePool(x) }",
}


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def check(model: onnx.ModelProto) -> None:
    """The outputs on the chip are the reference's, to a few roundings; all of the graph is on the chip."""
    index, random = Index(model), np.random.default_rng(0)
    feeds = {name: random.standard_normal(index.shape[name]).astype(np.float32) for name in index.inputs}
    compiled = compile_for_sim(model, level=2)
    assert compiled.chip_count == compiled.node_count
    session = start_session(compiled, Machine("native"))
    session.step(feeds)
    for name, value in evaluate(model, feeds).items():
        np.testing.assert_allclose(session.read(name), value, atol=2e-6 * max(1.0, np.abs(value).max()))


def check_step(model: nn.Module, batch: int, size: int, tolerance: float = 1e-6) -> float:
    """Parameters and loss after each of three train steps are the reference's. The cycles of a step."""
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    step = trace_step(model, optimiser, torch.zeros(batch, 1, size, size), torch.zeros(batch, dtype=torch.int64))
    index, random = Index(step), np.random.default_rng(0)
    feeds = {name: np.zeros(index.shape[name], index.dtype[name]) for name in index.inputs}
    feeds |= {name: value.detach().numpy() for name, value in model.named_parameters()}
    feeds["x"] = np.asarray(random.uniform(-0.4, 2.8, feeds["x"].shape), np.float32)
    feeds["labels"] = random.integers(0, 10, batch)
    compiled = compile_for_sim(step, level=2)
    assert compiled.chip_count == compiled.node_count
    session = start_session(compiled, Machine("native"))
    for name, given in feeds.items():
        session.write(name, given)
    for _ in range(3):
        session.step({"x": feeds["x"], "labels": feeds["labels"]})
        wanted = evaluate(step, feeds)
        assert session.read("loss") == pytest.approx(wanted["loss"], rel=1e-5)
        for name, after in updates(step).items():
            assert np.abs(session.read(name) - wanted[after]).max() < tolerance, name
            feeds[name] = wanted[after]
    return compiled.cost.fewest


@pytest.mark.slow
def test_the_smallest_convolution() -> None:
    check(graph(FIRST))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*long_runs("uneven"), *(name for name in FORWARD if name != "uneven")])
def test_forward(name: str) -> None:
    check(graph(FORWARD[name]))


@LONG
@pytest.mark.slow
def test_a_train_step_of_a_convolution_a_pool_and_a_layer() -> None:
    torch.manual_seed(0)
    parts = nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)
    check_step(nn.Sequential(*parts), 4, 8)


@LONG
@pytest.mark.slow
def test_lenet() -> None:
    check_step(lenet(), 4, 28)


@pytest.mark.slow
def test_lenet_stays_below_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    assert check_step(lenet(), 64, 28) <= 30_000
