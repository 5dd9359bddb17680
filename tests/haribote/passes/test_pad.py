"""Padding keeps the meaning: real entries as torch computes them, padded entries exactly what they were, for ever."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from haribote.errors import GraphError
from haribote.frontend.torch import trace_inference, trace_step
from haribote.graph import Builder, Index, evaluate, updates
from haribote.network import CLASS_BIAS
from haribote.passes import decompose, pad, simplify
from tests.haribote.whole_outputs import cropped


def run_steps(model: onnx.ModelProto, feeds, steps: int):
    """The padded feeds before, the outputs of the last step, and the feeds after, all padded."""
    before = pad.pad_inputs(model, feeds)
    after = dict(before)
    for _ in range(steps):
        outputs = evaluate(model, after)
        after |= {name: outputs[output] for name, output in updates(model).items()}
    return before, outputs, after


def assert_padding_unchanged(model, before, after):
    for name, entry in pad.padding(model).items():
        if name in before:
            outside = np.ones(entry["padded"], bool)
            outside[tuple(map(slice, entry["shape"]))] = False
            assert (before[name][outside] == entry["fill"]).all()
            assert (after[name][outside] == entry["fill"]).all(), name


@pytest.mark.parametrize("stage", ["pad", "decompose"])
def test_steps_equal_torch(step, assert_equal, stage):
    before = simplify.run(step.graph)
    copy = before.SerializeToString()
    model = pad.run(before)
    assert before.SerializeToString() == copy, "the input must stay untouched"
    model = decompose.run(model) if stage == "decompose" else model
    start, outputs, end = run_steps(model, step.feeds, 2)
    assert_equal(cropped(model, outputs), step.expected(2))
    assert_padding_unchanged(model, start, end)


@pytest.mark.parametrize("bias", [True, False])
def test_padding_stays_over_many_steps(make_step, assert_equal, bias):
    step = make_step((12, 7, 5), bias, 9, learning_rate=0.5)
    model = decompose.run(pad.run(simplify.run(step.graph)))
    start, outputs, end = run_steps(model, step.feeds, 60)
    assert_equal(cropped(model, outputs), step.expected(60))
    assert_padding_unchanged(model, start, end)


def test_probabilities_and_gradients_of_padded_entries_are_exactly_zero(step):
    model = decompose.run(pad.run(simplify.run(step.graph)))
    values = evaluate(model, pad.pad_inputs(model, step.feeds), every_value=True)
    real_rows, real_classes = (step.feeds["labels"].size, Index(step.graph).shape["logits"][1])
    assert not values["softmax"][:, real_classes:].any()
    assert not values["logits.grad"][:, real_classes:].any()
    assert not values["logits.grad"][real_rows:].any()
    np.testing.assert_allclose(values["softmax"].sum(axis=1), 1, atol=1e-6)
    for name, entry in pad.padding(model).items():
        if f"{name}.grad" in values:
            gradient = values[f"{name}.grad"].copy()
            gradient[tuple(map(slice, entry["shape"]))] = 0
            assert not gradient.any(), name


@pytest.mark.parametrize(
    ("widths", "batch", "padded"),
    [
        ((784, 16, 10), 256, {"x": (256, 1024), "0.weight": (16, 1024), "2.weight": (16, 16), "2.bias": (16,)}),
        ((16, 16, 16), 256, {"x": (256, 16), "0.weight": (16, 16), "2.weight": (16, 16), "2.bias": (16,)}),
        ((17, 5, 2), 257, {"x": (512, 1024), "0.weight": (16, 1024), "2.weight": (16, 16), "2.bias": (16,)}),
        ((1025, 100, 33), 1, {"x": (256, 2048), "0.weight": (112, 2048), "2.weight": (48, 112), "2.bias": (48,)}),
    ],
)
def test_sizes(make_step, widths, batch, padded):
    model = pad.run(simplify.run(make_step(widths, True, batch).graph))
    index = Index(model)
    assert {name: index.shape[name] for name in padded} == padded
    assert index.shape["labels"] == padded["x"][:1]
    assert {name: tuple(pad.padding(model)[name]["padded"]) for name in padded} == padded
    assert pad.padding(model)["x"]["shape"] == [batch, widths[0]]
    assert list(pad.padding(model)) == [*index.inputs, *index.outputs]


def test_class_bias_is_the_parameters_own_where_there_is_one(make_step):
    with_bias = pad.run(simplify.run(make_step((20, 5, 4), True, 6).graph))
    assert pad.padding(with_bias)["2.bias"]["fill"] == pad.padding(with_bias)["2.bias.next"]["fill"] == CLASS_BIAS
    assert pad.padding(with_bias)["0.bias"]["fill"] == 0
    without = pad.run(simplify.run(make_step((20, 5, 4), False, 6).graph))
    assert "logits.masked" in Index(without).producer
    assert all(entry["fill"] == 0 for entry in pad.padding(without).values())


def test_weight_decay_does_not_lift_a_padded_class(make_step, assert_equal):
    step = make_step((20, 5, 4), True, 6)
    x, labels = torch.from_numpy(step.feeds["x"]), torch.from_numpy(step.feeds["labels"])
    optimizer = torch.optim.SGD(step.model.parameters(), lr=0.5, weight_decay=0.5)
    model = pad.run(simplify.run(trace_step(step.model, optimizer, x, labels)))
    start, outputs, end = run_steps(model, step.feeds, 20)
    assert_padding_unchanged(model, start, end)
    for _ in range(20):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(step.model(x), labels)
        loss.backward()
        optimizer.step()
    after = {f"{name}.next": p.detach().numpy() for name, p in step.model.named_parameters()}
    assert_equal(cropped(model, outputs), {"loss": loss.detach().numpy(), **after})


class Gated(nn.Module):
    """A layer with a norm over its features, one with a softmax over them."""

    def __init__(self):
        super().__init__()
        self.first, self.gate, self.last = nn.Linear(20, 5), nn.Linear(20, 5), nn.Linear(5, 3)

    def forward(self, x):
        return self.last(nn.functional.layer_norm(self.first(x), (5,)) * self.gate(x).softmax(1))


class Standard(Gated):
    """A norm over the rows."""

    def forward(self, x):
        out = self.first(x)
        return self.last(torch.tanh((out - out.mean(0)) * torch.rsqrt(out.var(0, unbiased=False) + 0.1)))


LOSSES = {
    "plain": nn.CrossEntropyLoss(),
    "smoothed": nn.CrossEntropyLoss(label_smoothing=0.1),
    "squared": lambda logits, labels: nn.functional.cross_entropy(logits, labels) ** 2,  # its scale is no constant
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("module", [Gated, Standard])
def test_steps_with_operators_that_have_no_rule(module, loss):
    torch.manual_seed(0)
    own, x, labels = module(), torch.randn(6, 20), torch.tensor([0, 2, 1, 0, 2, 2])
    graph = simplify.run(trace_step(own, torch.optim.SGD(own.parameters(), lr=0.5), x, labels, loss))
    named = {name: p.detach().numpy() for name, p in own.named_parameters()}
    feeds = {name: value for name, value in named.items() if name in Index(graph).inputs}
    feeds |= {"x": x.numpy(), "labels": labels.numpy()}
    model = pad.run(graph)
    start, outputs, end = run_steps(model, feeds, 3)
    _, expected, _ = run_steps(graph, feeds, 3)
    for name, value in cropped(model, outputs).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-4, atol=1e-5, err_msg=name)
    assert_padding_unchanged(model, start, end)


def test_inference(make_step):
    step = make_step((20, 5, 4), True, 6)
    x = torch.from_numpy(step.feeds["x"])
    model = pad.run(simplify.run(trace_inference(step.model, x)))
    feeds = {name: value for name, value in step.feeds.items() if name != "labels"}
    outputs = cropped(model, evaluate(model, pad.pad_inputs(model, feeds)))
    np.testing.assert_allclose(outputs["logits"], step.model(x).detach().numpy(), atol=1e-6)


class AddsOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(20, 4)

    def forward(self, x):
        return self.linear(x + 1.0)


class Reshapes(AddsOne):
    def forward(self, x):
        return self.linear(x.view(2, 60).view(6, 20))


class Odd(AddsOne):
    def forward(self, x):
        return torch.tanh(self.linear(x.flip(0))).softmax(1) + 0.5


class Scaled(AddsOne):
    """A column that is repeated along the features: padded, it must not become 16 columns of which 15 are 0."""

    def forward(self, x):
        return self.linear(x) * x.sum(1, keepdim=True)


class Smoothed(AddsOne):
    """Log probabilities that are added up, those of padded classes not among them."""

    def forward(self, x):
        log_p = self.linear(x).log_softmax(1)
        return log_p.mean(1, keepdim=True) * x[:, :4] / 8


class Centred(AddsOne):
    """A sum over the rows, the padded ones not among them, where the bias is all that there is."""

    def forward(self, x):
        out = self.linear(x)
        return out - out.sum(0)


class Grams(AddsOne):
    """A product that sums over the rows."""

    def forward(self, x):
        out = self.linear(x)
        return x[:4, :4] @ (out.T @ out) / 32


@pytest.mark.parametrize("module", [AddsOne, Reshapes, Odd, Scaled, Smoothed, Centred, Grams])
def test_operators_without_a_rule_work_on_what_is_no_padding(module):
    torch.manual_seed(0)
    own, x = module(), torch.randn(6, 20)
    model = pad.run(simplify.run(trace_inference(own, x)))
    feeds = {"x": x.numpy()} | {name: p.detach().numpy() for name, p in own.named_parameters()}
    padded = evaluate(model, pad.pad_inputs(model, feeds))
    np.testing.assert_allclose(cropped(model, padded)["logits"], own(x).detach().numpy(), atol=1e-6)
    assert all(size % 16 == 0 for size in padded["logits"].shape)


def test_values_of_more_than_two_axes_stay_as_they_are():
    builder = Builder("ranks")
    x, scale = builder.input("x", (6, 20), np.float32), builder.input("scale", (3, 1, 20), np.float32)
    builder.output(builder.op("Mul", x, scale, name="y"))
    model = builder.finish()
    padded = pad.run(model)
    assert Index(padded).shape["scale"] == (3, 1, 20)
    random = np.random.default_rng(0)
    shapes = {"x": (6, 20), "scale": (3, 1, 20)}
    feeds = {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    found = cropped(padded, evaluate(padded, pad.pad_inputs(padded, feeds)))["y"]
    np.testing.assert_array_equal(found, evaluate(model, feeds)["y"])


def test_pad_inputs_refuses_other_shapes(make_step):
    step = make_step((20, 5, 4), True, 6)
    model = pad.run(simplify.run(step.graph))
    with pytest.raises(GraphError, match=r"'x' must have shape \[6, 20\], received \[5, 20\]"):
        pad.pad_inputs(model, step.feeds | {"x": step.feeds["x"][:5]})
