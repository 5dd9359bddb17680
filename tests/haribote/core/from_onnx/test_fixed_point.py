"""Rules are applied until none fits, and optional operands and results may be left out."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.compiler import compile_stack, start_session
from haribote.core.checker import check
from haribote.core.from_onnx import RULES, lower
from haribote.graph import Index, evaluate
from haribote.graphs.textual import parsed
from haribote.stack.planner import elementary


def test_what_a_rule_writes_is_rewritten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One rule writes an operator of another one, and that one ArgMax and OneHot, for which there are others."""

    def twice(g):
        inner = g.op("Hardmax", g.node.input[0], part="hard", axis=1)
        return g.op("Add", inner, inner)

    def hardmax(g):
        largest = g.op("ArgMax", g.node.input[0], part="largest", axis=1, keepdims=0)
        depth, values = np.array(4, np.int64), np.array([0, 1], np.float32)
        return g.op("OneHot", largest, g.constant(depth, "depth"), g.constant(values, "values"))

    monkeypatch.setitem(RULES, "Softsign", [twice])
    monkeypatch.setitem(RULES, "Hardmax", [hardmax])
    model = elementary.run(parsed("(float[3,4] x) => (float[3,4] y) { y = Softsign(x) }"))
    names = {node.op_type for node in model.graph.node}
    assert not names & {"Softsign", "Hardmax", "ArgMax", "OneHot"}
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    np.testing.assert_array_equal(evaluate(model, {"x": x})["y"], 2 * (x == x.max(axis=1, keepdims=True)))


LEFT_OUT = [
    "(float[4,6] x) => (float[4,3] z) { gone, z = Split<axis=1, num_outputs=2>(x) }",
    "(float[4,6] x) => (float[4,2] b) <int64[3] s = {2,2,2}> { gone, b, gone_too = Split<axis=1>(x, s) }",
    "(float[1,1,4,6] x) => (float[1,1,2,3] y) { y, gone = MaxPool<kernel_shape=[2,2], strides=[2,2]>(x) }",
    "(float[4,6] x) => (float[4,6] y) { y, gone = Dropout(x) }",
    "(float[4,6] x) => (float[4,6] y, float[4,1] z) <float[6] s = {1,2,3,4,5,6}> "
    "{ y, gone, z = LayerNormalization<axis=1>(x, s) }",
    "(float[4,6] x) => (float[4,6] y) <float high = {0.5}> { y = Clip(x, , high) }",
]


def without(text: str):
    """The graph of a text, without the outputs called gone."""
    model = parsed(text)  # ONNX's text has no outputs without a name
    for node in model.graph.node:
        node.output[:] = ["" if name.startswith("gone") else name for name in node.output]
        node.name = next(filter(None, node.output))
    return model


@pytest.mark.parametrize("text", LEFT_OUT)
def test_optional_outputs_and_inputs_left_out(text: str) -> None:
    model = without(text)
    shape = (1, 1, 4, 6) if "[1,1,4,6] x" in text else (4, 6)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    session = start_session(compile_stack(model))
    session.step({"x": x})
    for name, wanted in evaluate(model, {"x": x}).items():
        np.testing.assert_allclose(session.read(name), wanted, rtol=1e-5, atol=1e-6)


def test_a_sequence_whose_states_nobody_asks_for() -> None:
    sizes = "float[1,8,6] w, float[1,8,2] r"
    model = without(
        f"(float[3,1,6] x, {sizes}) => (float[1,1,2] h, float[1,1,2] c) {{ gone, h, c = LSTM<hidden_size=2>(x, w, r) }}"
    )
    random = np.random.default_rng(0)
    feeds = {name: random.standard_normal(shape).astype(np.float32) for name, shape in Index(model).shape.items()}
    feeds = {name: feeds[name] for name in Index(model).inputs}
    lowered = lower(model)
    check(lowered, "core")
    for name, wanted in evaluate(model, feeds).items():
        np.testing.assert_allclose(evaluate(lowered, feeds)[name], wanted, rtol=1e-5, atol=1e-6)
