"""Decompose gives the canonical operators and keeps the meaning, also where probabilities are 0."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
import torch
from onnx.reference import ReferenceEvaluator

from haribote.frontend.onnx_file import adapted
from haribote.frontend.torch import trace_inference
from haribote.graph import Index, attributes, evaluate, is_loss
from haribote.passes import decompose, pad, simplify

CANONICAL = {"Gemm", "Add", "Sub", "Mul", "Div", "Relu", "Greater", "Cast", "Exp", "ReduceMax", "ReduceSum", "OneHot"}


def decomposed(graph: onnx.ModelProto) -> onnx.ModelProto:
    return decompose.run(simplify.run(graph))


def int32_labels(feeds):
    return feeds | {"labels": feeds["labels"].astype(np.int32)}


def test_step_equals_torch(step, assert_equal):
    before = simplify.run(step.graph)
    copy = before.SerializeToString()
    assert_equal(evaluate(decompose.run(before), int32_labels(step.feeds)), step.expected(1))
    assert before.SerializeToString() == copy, "the input must stay untouched"


def test_only_canonical_operators_compute(step):
    model = decompose.run(pad.run(simplify.run(step.graph)))
    compute = [node for node in model.graph.node if not is_loss(node)]
    assert {node.op_type for node in compute} <= CANONICAL
    assert all(len(node.input) == 2 for node in compute if node.op_type == "Gemm")
    assert not model.functions
    assert [is_loss(node) for node in model.graph.node] == sorted(is_loss(node) for node in model.graph.node)


def test_784_16_10_is_28_compute_nodes(make_step):
    model = decompose.run(pad.run(simplify.run(make_step((784, 16, 10), True, 256).graph)))
    nodes = [(node.op_type, node.output[0]) for node in model.graph.node if not is_loss(node)]
    assert nodes == [
        ("Gemm", "0.out.matmul"),
        ("Add", "0.out"),
        ("Relu", "1.out"),
        ("Gemm", "logits.matmul"),
        ("Add", "logits"),
        ("ReduceMax", "softmax.max"),
        ("Sub", "softmax.shifted"),
        ("Exp", "softmax.exp"),
        ("ReduceSum", "softmax.sum"),
        ("Div", "softmax"),
        ("OneHot", "labels.onehot"),
        ("Sub", "softmax.error"),
        ("Mul", "logits.grad"),
        ("Gemm", "1.out.grad"),
        ("Gemm", "2.weight.grad"),
        ("ReduceSum", "2.bias.grad"),
        ("Greater", "0.out.grad.positive"),
        ("Cast", "0.out.grad.mask"),  # one kernel with Greater
        ("Mul", "0.out.grad"),
        ("Gemm", "0.weight.grad"),
        ("ReduceSum", "0.bias.grad"),
        *(
            pair
            for name in ("0.weight", "0.bias", "2.weight", "2.bias")
            for pair in (("Mul", f"{name}.next.scaled"), ("Sub", f"{name}.next"))
        ),
    ]
    assert all(node.name == node.output[0] for node in model.graph.node)
    forward, hidden, weight, first = (n for n in model.graph.node if n.op_type == "Gemm" and n.name != "logits.matmul")
    assert attributes(forward) == {"transB": 1}
    assert attributes(hidden) == {}
    assert attributes(weight) == attributes(first) == {"transA": 1}


def test_reductions_keep_what_the_kernels_expect(make_step):
    model = decomposed(make_step((20, 5, 4), True, 6).graph)
    keepdims = {
        node.name: attributes(node)["keepdims"] for node in model.graph.node if node.op_type.startswith("Reduce")
    }
    assert keepdims == {"softmax.max": 1, "softmax.sum": 1, "0.bias.grad": 0, "2.bias.grad": 0, "loss": 0}


def test_loss_stays_finite_where_a_probability_is_zero(make_step, assert_equal):
    step = make_step((20, 5, 4), True, 6)
    big = {name: value * 50 if name.endswith("weight") else value for name, value in step.feeds.items()}
    logits = np.maximum(big["x"] @ big["0.weight"].T + big["0.bias"], 0) @ big["2.weight"].T + big["2.bias"]
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    assert shifted.min() < -150, "some probability must underflow"
    expected = np.mean(np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(6), big["labels"]])
    loss = evaluate(decomposed(step.graph), int32_labels(big))["loss"]
    assert loss == pytest.approx(expected, rel=1e-5)


def test_a_graph_without_loss_stays_as_it_is(make_step):
    step = make_step((20, 5, 4), True, 6)
    model = simplify.run(trace_inference(step.model, torch.from_numpy(step.feeds["x"])))
    assert decompose.run(model) == model


@pytest.mark.parametrize(
    ("given", "weights"),
    [("", ""), ('<reduction="sum">', ""), ("<ignore_index=2>", ""), ("", ", w"), ("<ignore_index=-7>", "")],
)
def test_losses_of_any_form_keep_their_meaning(given: str, weights: str) -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (float[4,3] x, int64[4] labels, float[3] w) => (float loss) '
        f"{{ p = LogSoftmax(x) loss = NegativeLogLikelihoodLoss{given}(p, labels{weights}) }}"
    )
    random = np.random.default_rng(0)
    feeds = {"x": random.normal(size=(4, 3)).astype(np.float32), "labels": np.array([0, 2, 1, 2])}
    feeds |= {"w": np.array([1, 5, 9], np.float32)}
    wanted = ReferenceEvaluator(model).run(None, feeds)[0]
    found = decompose.run(adapted(model, {}))
    assert len(found.graph.node) > 2
    given_feeds = {name: value.astype(Index(found).dtype[name]) for name, value in feeds.items()}
    assert evaluate(found, given_feeds)["loss"] == pytest.approx(wanted, rel=1e-5)
