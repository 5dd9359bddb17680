"""Rules of single operators: values, and what is said where one is missing or does not cover a form."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.autodiff.reverse import gradients
from haribote.errors import UnsupportedOp
from haribote.graph import Builder, Index, evaluate


@pytest.mark.parametrize(
    ("op_type", "form"),
    [
        ("Exp", {}),
        ("Log", {}),
        ("Div", {}),
        ("ReduceMean", {}),
        ("ReduceSum", {"keepdims": 0}),
        ("Gemm", {"beta": 0.5}),
    ],
)
def test_rules_that_random_graphs_do_not_reach(op_type, form) -> None:
    builder = Builder("one")
    shape = (3, 3)
    a, b = (builder.input(name, shape, np.float64) for name in "ab")
    inputs = {"Div": [a, b], "Gemm": [a, b, builder.input("c", (3, 1), np.float64)]}.get(op_type, [a])
    if op_type == "ReduceSum":
        inputs.append(builder.constant(np.array([1], np.int64), "axes"))
    value = builder.op(op_type, *inputs, name="value", **form)
    builder.op("ReduceSum", builder.op("Mul", value, value, name="square"), name="loss", keepdims=0)
    builder.output("loss")
    model, random, h = builder.finish(), np.random.default_rng(0), 1e-6
    wanted = [name for name in inputs if name != "axes"]
    feeds = {name: random.uniform(1, 2, s) for name, s in Index(model).shape.items() if name in Index(model).inputs}
    outputs = evaluate(gradients(model, wanted), feeds)
    for name in wanted:
        direction = random.standard_normal(feeds[name].shape)
        there, back = (evaluate(model, feeds | {name: feeds[name] + s * h * direction})["loss"] for s in (1, -1))
        assert np.sum(outputs[f"{name}.grad"] * direction) == pytest.approx((there - back) / (2 * h), rel=1e-6)


def test_a_rule_that_is_missing_is_named() -> None:
    builder = Builder("cosine")
    builder.op("ReduceSum", builder.op("Cos", builder.input("a", (3,), np.float32), name="b"), name="loss", keepdims=0)
    builder.output("loss")
    with pytest.raises(UnsupportedOp, match=r"no gradient rule for node 'b' \(Cos\)"):
        gradients(builder.finish(), ["a"])


def test_a_form_that_a_rule_does_not_cover_names_the_shapes() -> None:
    builder = Builder("softmax")
    a = builder.input("a", (2, 3), np.float32)
    builder.op("ReduceSum", builder.op("LogSoftmax", a, name="b", axis=0), name="loss", keepdims=0)
    builder.output("loss")
    with pytest.raises(UnsupportedOp, match=r"node 'b', LogSoftmax\(\[2, 3\]\): it must be \[N, classes\]"):
        gradients(builder.finish(), ["a"])
