"""NHWC keeps the meaning, and most transposes meet their opposite."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
import torch

from haribote.autodiff.reverse import train_step
from haribote.frontend.torch import trace_step
from haribote.graph import attributes, complete, evaluate
from haribote.passes import nhwc, simplify
from haribote.training.models import lenet
from tests.haribote.random_graphs import random_graph


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def op_types(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


CONV = "Conv<kernel_shape=[3,3], pads=[1,1,1,1]>"
POOL = "MaxPool<kernel_shape=[2,2], strides=[2,2]>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"{{ c = {CONV}(x, w) y = Relu(c) }}",
            ["Transpose", "Transpose", "ConvNHWC", "Relu", "Transpose"],
        ),
        (
            f"{{ c = {CONV}(x, w) r = Relu(c) d = {CONV}(r, w) y = Add(d, c) }}",
            ["Transpose", "Transpose", "ConvNHWC", "Relu", "ConvNHWC", "Add", "Transpose"],
        ),
        (
            f"{{ c = {CONV}(x, w, b) y = Tanh(c) }}",
            ["Transpose", "Transpose", "ConvNHWC", "Add", "Tanh", "Transpose"],
        ),
        # What is repeated to the image turns with it.
        (
            f"{{ c = {CONV}(x, w) y = Mul(c, s) }}",
            ["Transpose", "Transpose", "ConvNHWC", "Reshape", "Transpose", "Mul", "Transpose"],
        ),
        ("{ t = Transpose<perm=[1,0,2,3]>(x) u = Transpose<perm=[1,0,2,3]>(t) y = Relu(u) }", ["Relu"]),
        ("{ t = Transpose<perm=[0,2,1,3]>(x) y = Transpose<perm=[0,2,1,3]>(t) }", ["Identity"]),
    ],
)
def test_before_and_after(body, expected):
    inputs = "(float[2,3,4,4] x, float[3,3,3,3] w, float[3] b, float[3,1,1] s)"
    before = graph(f"{inputs} => (float[2,3,4,4] y) {body}")
    after = nhwc.run(before)
    assert op_types(after) == expected
    random = np.random.default_rng(0)
    shapes = {"x": (2, 3, 4, 4), "w": (3, 3, 3, 3), "b": (3,), "s": (3, 1, 1)}
    feeds = {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    np.testing.assert_allclose(evaluate(after, feeds)["y"], evaluate(before, feeds)["y"], rtol=1e-5, atol=1e-5)


def test_the_sum_over_images_and_places_is_taken_in_any_order():
    model = graph(
        f"(float[2,3,4,4] x, float[3,3,3,3] w) => (float[3] y) <int64[3] axes = {{0, 2, 3}}> "
        f"{{ c = {CONV}(x, w) p = {POOL}(c) y = ReduceSum<keepdims=0>(p, axes) }}"
    )
    after = nhwc.run(model)
    assert op_types(after) == ["Transpose", "Transpose", "ConvNHWC", "MaxPoolNHWC", "ReduceSum"]
    random = np.random.default_rng(1)
    feeds = {name: random.standard_normal(s).astype(np.float32) for name, s in (("x", (2, 3, 4, 4)), ("w", (3,) * 4))}
    np.testing.assert_allclose(evaluate(after, feeds)["y"], evaluate(model, feeds)["y"], rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_lenet_keeps_only_the_transposes_at_its_borders():
    model, labels = lenet(), torch.tensor([3, 1])
    x = torch.randn(2, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    before = simplify.run(trace_step(model, torch.optim.SGD(model.parameters(), lr=0.1), x, labels))
    after = nhwc.run(before)
    feeds = {name: p.detach().numpy() for name, p in model.named_parameters()}
    feeds |= {"x": x.numpy(), "labels": labels.numpy()}
    expected = evaluate(before, feeds)
    for name, value in evaluate(after, feeds).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-4, atol=1e-5, err_msg=name)
    operators = [node for node in after.graph.node if node.op_type.endswith("NHWC")]
    alone = sum(len(node.input) + 1 for node in operators) + op_types(before).count("Transpose")
    assert (alone, op_types(after).count("Transpose")) == (31, 11)
    read = {name for node in after.graph.node if node.op_type == "Transpose" for name in node.input}
    assert read.isdisjoint({"0.out.nhwc", "1.out.nhwc", "2.out.nhwc.relu"}), "between convolutions nothing turns"


@pytest.mark.parametrize("seed", range(0, 18, 3))
def test_random_graphs_with_images(seed):
    random = random_graph(seed)
    for model in (random.model, train_step(random.model, 0.1)):
        expected = evaluate(model, random.feeds)
        after = nhwc.run(model)
        assert any(node.op_type.endswith("NHWC") for node in after.graph.node)
        for name, value in evaluate(after, random.feeds).items():
            np.testing.assert_allclose(value, expected[name], rtol=1e-4, atol=1e-5, err_msg=name)


def test_what_has_no_nhwc_form_stays():
    body = "{ y = Conv<kernel_shape=[3,3], group=3>(x, w) }"
    model = graph(f"(float[2,3,4,4] x, float[3,1,3,3] w) => (float[2,3,2,2] y) {body}")
    assert op_types(nhwc.run(model)) == ["Conv"]
    assert attributes(nhwc.run(model).graph.node[0])["group"] == 3
