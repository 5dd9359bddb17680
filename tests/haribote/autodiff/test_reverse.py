"""Backward graphs: equal to torch's and to the trace, and true by finite differences."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from haribote.autodiff.reverse import gradients, train_step
from haribote.compiler import lower
from haribote.errors import GraphError
from haribote.frontend.torch import trace_loss, trace_step
from haribote.graph import Index, evaluate, kind, updates
from haribote.passes.report import counts
from haribote.training.models import mlp
from tests.haribote.random_graphs import Arrays, RandomGraph, random_graph


class SmallCnn(nn.Sequential):
    """Convolutions with strides that leave something over, pads and dilations; overlapping pooling."""

    def __init__(self) -> None:
        super().__init__(
            nn.Conv2d(2, 3, (3, 2), stride=(2, 3), padding=(1, 0)),
            nn.ReLU(),
            nn.MaxPool2d(2, stride=(1, 2)),
            nn.Conv2d(3, 2, 2, dilation=2, padding=1, bias=False),
            nn.MaxPool2d((1, 2), padding=(0, 1)),
            nn.Flatten(),
            nn.Linear(16, 8),
            nn.ReLU(),
            nn.Linear(8, 3),
        )


def small_cnn() -> tuple[nn.Module, torch.Tensor]:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return SmallCnn(), torch.randn(4, 2, 10, 12)


def small_mlp() -> tuple[nn.Module, torch.Tensor]:
    return mlp(6, 5, 4, 3, seed=1), torch.randn(4, 6, generator=torch.Generator().manual_seed(2))


LABELS = torch.tensor([0, 2, 1, 1])


MODELS = pytest.mark.parametrize("make", [small_mlp, small_cnn])


def feeds_of(model: nn.Module, x: torch.Tensor, graph: onnx.ModelProto) -> Arrays:
    feeds = {"x": x.numpy(), "labels": LABELS.numpy()}
    feeds |= {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    return feeds | {name: np.zeros_like(feeds[name[:-9]]) for name in Index(graph).inputs if name.endswith(".momentum")}


def assert_close(got: Arrays, expected: Arrays) -> None:
    assert list(got) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-6, err_msg=name)


@MODELS
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_three_steps_equal_torch_and_the_trace(make, momentum) -> None:
    model, x = make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
    traced = trace_step(model, optimizer, x, LABELS)
    derived = train_step(trace_loss(model, x, LABELS), 0.1, momentum)
    assert (kind(derived), updates(derived)) == ("train", updates(traced))
    assert Index(derived).inputs == Index(traced).inputs
    feeds = feeds_of(model, x, traced)
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), LABELS)
        loss.backward()
        optimizer.step()
        outputs = evaluate(derived, feeds)
        assert_close(evaluate(traced, feeds), outputs)
        expected = {"loss": loss.detach().numpy()}
        expected |= {f"{name}.next": p.detach().numpy() for name, p in model.named_parameters()}
        if momentum:
            state = {name: optimizer.state[p]["momentum_buffer"] for name, p in model.named_parameters()}
            expected |= {f"{name}.momentum.next": buffer.numpy() for name, buffer in state.items()}
        assert_close(outputs, expected)
        feeds |= {name: outputs[output] for name, output in updates(derived).items()}


@pytest.mark.parametrize("bias", [True, False])
def test_it_lowers_to_the_very_nodes_of_the_trace(bias) -> None:
    model, x = mlp(20, 6, 4, bias=bias), torch.zeros(5, 20)
    labels = torch.zeros(5, dtype=torch.int64)
    traced = trace_step(model, torch.optim.SGD(model.parameters(), lr=0.1), x, labels)
    derived = train_step(trace_loss(model, x, labels), 0.1)

    def nodes(graph: onnx.ModelProto) -> list[tuple[str, tuple[str, ...]]]:
        lowered = lower(graph, stop_after="decompose").graph
        return sorted((node.op_type, tuple(node.output)) for node in lowered.node)

    assert nodes(derived) == nodes(traced)


def test_lenet_lowers_to_the_operators_of_the_trace() -> None:
    model, x = small_cnn()
    traced = trace_step(model, torch.optim.SGD(model.parameters(), lr=0.1), x, LABELS)
    lowered = [lower(g, stop_after="simplify") for g in (traced, train_step(trace_loss(model, x, LABELS), 0.1))]
    assert counts(lowered[0]) == counts(lowered[1])


def torch_loss(graph: RandomGraph) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The loss of a random graph, evaluated by torch, and the parameters it was computed from."""
    index, values = Index(graph.model), {}
    leaves = {name: torch.tensor(graph.feeds[name], requires_grad=True) for name in graph.parameters}
    values = {name: torch.tensor(array) for name, array in index.constants.items()}
    values |= {name: torch.tensor(graph.feeds[name]) for name in ("x", "labels")} | leaves
    for node in graph.model.graph.node:
        arguments = [values[name] for name in node.input]
        attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = TORCH[node.op_type](*arguments, **attrs)
    return values["loss"], leaves


def _gemm(a, b, c=0.0, transA=0, transB=0, alpha=1.0):
    return alpha * (a.T if transA else a) @ (b.T if transB else b) + c


def _conv(x, w, b=None, *, kernel_shape, strides, pads):
    top, left, bottom, right = pads
    return nn.functional.conv2d(nn.functional.pad(x, (left, right, top, bottom)), w, b, strides)


TORCH = {
    "Relu": torch.relu,
    "Tanh": torch.tanh,
    "Sigmoid": torch.sigmoid,
    "Neg": torch.neg,
    "Identity": lambda x: x,
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Gemm": _gemm,
    "MatMul": torch.matmul,
    "Transpose": lambda x, perm: x.permute(perm),
    "Reshape": lambda x, shape: x.reshape(shape.tolist()),
    "Flatten": lambda x: x.flatten(1),
    "ReduceSum": lambda x, axes, keepdims: x.sum(axes.tolist(), keepdim=True),
    "ReduceMean": lambda x, axes, keepdims: x.mean(axes.tolist(), keepdim=True),
    "Conv": _conv,
    "MaxPool": lambda x, kernel_shape, strides: nn.functional.max_pool2d(x, kernel_shape, strides),
    "LogSoftmax": lambda x, axis: torch.log_softmax(x, axis),
    "NegativeLogLikelihoodLoss": lambda x, labels, reduction: nn.functional.nll_loss(
        x, labels, reduction=reduction.decode()
    ),
}


@pytest.mark.parametrize("seed", range(15))
def test_random_graphs_equal_torch(seed) -> None:
    graph = random_graph(seed)
    loss, leaves = torch_loss(graph)
    grads = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
    reached = {name: grad.numpy() for name, grad in zip(leaves, grads, strict=True) if grad is not None}
    assert reached
    got = evaluate(gradients(graph.model, list(reached)), graph.feeds)
    assert_close(got, {"loss": loss.detach().numpy()} | {f"{name}.grad": grad for name, grad in reached.items()})


@pytest.mark.parametrize("seed", range(20, 35))
def test_gradients_by_finite_differences(seed) -> None:
    """Along a random direction: (loss(p + h d) - loss(p - h d)) / 2h is the product of gradient and d."""
    graph, random, h = random_graph(seed, dtype=np.float64), np.random.default_rng(seed), 1e-6
    step = train_step(graph.model, 1.0)
    wanted = list(updates(step))
    outputs = evaluate(gradients(graph.model, wanted), graph.feeds)
    directions = {name: random.standard_normal(graph.feeds[name].shape) for name in wanted}
    slope = sum(float(np.sum(outputs[f"{name}.grad"] * directions[name])) for name in wanted)
    there, back = (
        graph.feeds | {name: graph.feeds[name] + sign * h * d for name, d in directions.items()} for sign in (1, -1)
    )
    losses = [float(evaluate(graph.model, feeds)["loss"]) for feeds in (there, back)]
    assert slope == pytest.approx((losses[0] - losses[1]) / (2 * h), rel=1e-5, abs=1e-8)
    after = evaluate(step, graph.feeds)
    for name, output in updates(step).items():
        np.testing.assert_allclose(after[output], graph.feeds[name] - outputs[f"{name}.grad"], rtol=1e-12, atol=1e-12)


def test_a_graph_without_loss_or_dependence_is_refused() -> None:
    model, x = small_mlp()
    forward = trace_loss(model, x, LABELS)
    with pytest.raises(GraphError, match=r"a loss 'logits' of shape \[\], received \(4, 3\)"):
        gradients(forward, ["0.weight"], loss="logits")
    with pytest.raises(GraphError, match="does not depend on labels"):
        gradients(forward, ["0.weight", "labels"])
