"""The trace of a training step equals torch, leaves the user's objects alone, and says which line it cannot trace."""

from __future__ import annotations

import copy
import inspect
import json

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from haribote.errors import UnsupportedModel, UnsupportedOp
from haribote.frontend.lowering import RULES
from haribote.frontend.torch import trace_inference, trace_step
from haribote.graph import evaluate, kind, updates
from haribote.training.models import mlp

X = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
LABELS = torch.tensor([0, 2, 1, 1, 0])


def trace(model: nn.Module, x: torch.Tensor = X, labels: torch.Tensor = LABELS, **options) -> onnx.ModelProto:
    return trace_step(model, torch.optim.SGD(model.parameters(), lr=0.5, **options), x, labels)


def feeds_of(model: nn.Module) -> dict[str, np.ndarray]:
    parameters = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    return {"x": X.numpy(), "labels": LABELS.numpy(), **parameters}


def torch_step(model: nn.Module, optimizer: torch.optim.Optimizer, **loss_options) -> dict[str, np.ndarray]:
    loss = nn.functional.cross_entropy(model(X), LABELS, **loss_options)
    loss.backward()
    optimizer.step()
    return {"loss": loss.detach().numpy()} | {f"{n}.next": p.detach().numpy() for n, p in model.named_parameters()}


def test_step_equals_torch(step, assert_equal):
    assert_equal(evaluate(step.graph, step.feeds), step.expected(1))


def test_interface(make_step):
    graph = make_step((6, 5, 3), True, 4).graph
    parameters = ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert [info.name for info in graph.graph.input] == ["x", "labels", *parameters]
    assert [info.name for info in graph.graph.output] == ["loss", *(f"{name}.next" for name in parameters)]
    assert kind(graph) == "train"
    assert updates(graph) == {name: f"{name}.next" for name in parameters}
    assert all(json.loads(prop.value) for prop in graph.metadata_props if prop.key == "haribote.updates")


def test_values_carry_the_names_of_modules_and_gradients(make_step):
    graph = make_step((6, 5, 3), True, 4).graph
    made = {name for node in graph.graph.node for name in node.output}
    assert {"0.out", "1.out", "logits", "0.out.grad", "1.out.grad", "logits.grad", "0.weight.grad"} <= made


def test_model_and_optimiser_stay_bit_identical():
    model = mlp(4, 6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    torch_step(model, optimizer)  # so that gradients exist
    before = copy.deepcopy((model.state_dict(), [p.grad for p in model.parameters()], optimizer.state_dict()))
    random_state = torch.get_rng_state()
    trace_step(model, optimizer, X, LABELS)
    after = (model.state_dict(), [p.grad for p in model.parameters()], optimizer.state_dict())
    assert all(torch.equal(a, b) for a, b in zip(before[0].values(), after[0].values(), strict=True))
    assert all(torch.equal(a, b) for a, b in zip(before[1], after[1], strict=True))
    assert before[2] == after[2]
    assert not any(module._forward_hooks for module in model.modules())
    assert torch.equal(random_state, torch.get_rng_state())


@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.3}, {"lr": 1.0}, {"maximize": True}])
def test_sgd_options_come_from_the_trace(assert_equal, options):
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(inplace=True), nn.Linear(6, 3))
    optimizer = torch.optim.SGD(model.parameters(), **{"lr": 0.5, **options})
    graph = trace_step(model, optimizer, X, LABELS)
    assert_equal(evaluate(graph, feeds_of(model)), torch_step(model, optimizer))


def test_each_parameter_group_has_its_own_rate_and_frozen_parameters_stay(assert_equal):
    model = mlp(4, 6, 3)
    model[0].weight.requires_grad_(False)
    optimizer = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.2}, {"params": model[2].parameters()}], lr=1)
    graph = trace_step(model, optimizer, X, LABELS)
    expected = {name: value for name, value in torch_step(model, optimizer).items() if name != "0.weight.next"}
    assert_equal(evaluate(graph, feeds_of(mlp(4, 6, 3))), expected)


def test_sum_has_no_normaliser(assert_equal):
    model = mlp(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    graph = trace_step(model, optimizer, X, LABELS, lambda a, b: nn.functional.cross_entropy(a, b, reduction="sum"))
    assert_equal(evaluate(graph, feeds_of(model)), torch_step(model, optimizer, reduction="sum"))


def test_constants_of_the_model_are_in_the_graph(assert_equal):
    class Normalised(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 3)
            self.register_buffer("mean", torch.tensor([0.5, -1.0, 2.0, 0.25]))

        def forward(self, x):
            return self.linear((x - self.mean) * 2.0)

    model = Normalised()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    graph = trace_step(model, optimizer, X, LABELS)
    assert_equal(evaluate(graph, feeds_of(model)), torch_step(model, optimizer))


def test_inference(make_step):
    step = make_step((6, 5, 3), True, 4)
    x = torch.from_numpy(step.feeds["x"])
    graph = trace_inference(step.model, x)
    feeds = {name: value for name, value in step.feeds.items() if name != "labels"}
    (name, logits), *rest = evaluate(graph, feeds).items()
    assert (name, rest, kind(graph)) == ("logits", [], "infer")
    np.testing.assert_allclose(logits, step.model(x).detach().numpy(), atol=1e-6)


class Special(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x):
        x = self.linear(x)
        return torch.igamma(x.detach(), x)


class SpecialGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.igamma(grad, grad)


class SpecialBackward(Special):
    def forward(self, x):
        return SpecialGradient.apply(self.linear(x))


def line_of(function, text: str) -> str:
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def test_unknown_op_names_op_shapes_and_line():
    with pytest.raises(UnsupportedOp) as error:
        trace(Special())
    message = str(error.value)
    assert "aten.igamma.default(float32[5, 3], float32[5, 3])" in message
    assert f"at {line_of(Special.forward, 'torch.igamma')}: return torch.igamma" in message


@pytest.mark.filterwarnings("error")
def test_unknown_backward_op_names_the_line_of_its_forward():
    with pytest.raises(UnsupportedOp) as error:
        trace(SpecialBackward())
    message = str(error.value)
    assert "aten.igamma.default(float32[5, 3], float32[5, 3])" in message
    assert f"in the backward of the operation at {line_of(SpecialBackward.forward, 'apply')}" in message


@pytest.mark.parametrize(
    ("model", "fragment"),
    [
        (nn.Sequential(nn.Linear(9, 3)), "shapes cannot be multiplied"),
        (mlp(4, 3).double(), "must be float32"),
        ("mlp", "must be a torch module"),
    ],
)
def test_unsupported_model(model, fragment):
    parameters = model.parameters() if isinstance(model, nn.Module) else mlp(4, 3).parameters()
    with pytest.raises(UnsupportedModel, match=fragment):
        trace_step(model, torch.optim.SGD(parameters), X, LABELS)


def test_unsupported_optimiser_labels_and_loss():
    model = mlp(4, 3)
    with pytest.raises(UnsupportedModel, match="SGD, Adam, AdamW; received Adagrad"):
        trace_step(model, torch.optim.Adagrad(model.parameters()), X, LABELS)
    with pytest.raises(UnsupportedModel, match="no parameter of the model"):
        trace_step(model, torch.optim.SGD(mlp(4, 3).parameters()), X, LABELS)
    with pytest.raises(UnsupportedModel, match=r"int64\[5\]"):
        trace(model, labels=LABELS[:3])
    with pytest.raises(UnsupportedOp, match=r"nll_loss_forward.default\(\[5, 3\], \[5\], \[3\]\): class weights"):
        weights = torch.ones(3)
        trace_step(
            model,
            torch.optim.SGD(model.parameters()),
            X,
            LABELS,
            lambda a, b: nn.functional.cross_entropy(a, b, weight=weights),
        )


def test_a_form_that_the_rule_does_not_cover_is_refused(monkeypatch):
    monkeypatch.setitem(RULES, torch.ops.aten.igamma.default, lambda g: "")
    with pytest.raises(UnsupportedOp, match=r"igamma\.default\(\[5, 3\], \[5, 3\]\): its lowering rule does not cover"):
        trace_inference(Special(), X)


def test_what_has_no_rule_is_decomposed(assert_equal):
    model = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.GELU(), nn.Linear(6, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    graph = trace_step(model, optimizer, X, LABELS)
    assert_equal(evaluate(graph, feeds_of(model)), torch_step(model, optimizer))


def test_buffers_that_a_step_changes_are_states():
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    graph = trace_step(model, optimizer, X, LABELS)
    buffers = {name: buffer.numpy().copy() for name, buffer in model.named_buffers()}
    assert updates(graph).items() >= {name: f"{name}.next" for name in buffers}.items()
    feeds = feeds_of(model) | buffers
    for _ in range(2):
        after = evaluate(graph, feeds)
        expected = torch_step(model, optimizer) | {f"{n}.next": b.numpy() for n, b in model.named_buffers()}
        optimizer.zero_grad()
        assert set(after) == set(expected)
        for name, value in expected.items():
            np.testing.assert_allclose(after[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
        feeds |= {name: after[f"{name}.next"] for name in updates(graph)}


def test_an_inference_that_changes_buffers_is_refused():
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6))
    with pytest.raises(UnsupportedModel, match=r"changes '1.running_mean', .*\n.*model.eval"):
        trace_inference(model, X)
    model(X)
    graph = trace_inference(model.eval(), X)
    feeds = {name: value for name, value in feeds_of(model).items() if name != "labels"}
    np.testing.assert_allclose(evaluate(graph, feeds)["logits"], model(X).detach().numpy(), atol=1e-5)
