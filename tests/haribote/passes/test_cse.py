"""Common subexpressions are computed once; outputs keep their names."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

from haribote.graph import Index, complete, evaluate
from haribote.passes import cse, dead_code, fold_constants
from haribote.passes.report import Report, as_text, counts


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def ops(model: onnx.ModelProto) -> list[str]:
    return [f"{node.output[0]} = {node.op_type}({', '.join(node.input)})" for node in model.graph.node]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{ a = Relu(x) b = Relu(x) y = Sub(a, b) }", ["a = Relu(x)", "y = Sub(a, a)"]),
        ("{ a = Add(x, z) b = Add(z, x) y = Mul(a, b) }", ["a = Add(x, z)", "y = Mul(a, a)"]),
        ("{ a = Sub(x, z) b = Sub(z, x) y = Mul(a, b) }", ["a = Sub(x, z)", "b = Sub(z, x)", "y = Mul(a, b)"]),
        (
            "{ a = Relu(x) b = Relu(x) c = Neg(a) d = Neg(b) y = Sub(c, d) }",
            ["a = Relu(x)", "c = Neg(a)", "y = Sub(c, c)"],
        ),
        (
            "{ a = LeakyRelu<alpha=0.1>(x) b = LeakyRelu<alpha=0.2>(x) y = Sub(a, b) }",
            ["a = LeakyRelu(x)", "b = LeakyRelu(x)", "y = Sub(a, b)"],
        ),
        ("{ a = Relu(x) y = Relu(x) }", ["y = Relu(x)"]),
    ],
)
def test_before_and_after(body, expected):
    before = graph(f"(float[2,2] x, float[2,2] z) => (float[2,2] y) {body}")
    after = cse.run(before)
    feeds = {"x": np.array([[-1, 2], [3, -4]], np.float32), "z": np.eye(2, dtype=np.float32)}
    assert ops(after) == expected
    np.testing.assert_array_equal(evaluate(after, feeds)["y"], evaluate(before, feeds)["y"])


def test_outputs_that_are_equal_both_stay():
    model = graph("(float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Relu(x) }")
    assert ops(cse.run(model)) == ["y = Relu(x)", "z = Relu(x)"]


def test_equal_constants_become_one():
    model = graph("(float[2] x) => (float[2] y) <float a = {2}, float b = {2}, float c = {3}> "
                  "{ p = Mul(x, a) q = Mul(x, b) r = Add(p, q) y = Add(r, c) }")  # fmt: skip
    after = cse.run(model)
    assert list(Index(after).constants) == ["a", "c"]
    assert ops(after) == ["p = Mul(x, a)", "r = Add(p, p)", "y = Add(r, c)"]


def test_dead_code_and_constant_folding_alone():
    model = graph("(float[2] x) => (float[2] y) <float a = {2}, float b = {3}> "
                  "{ dead = Relu(x) c = Mul(a, b) y = Add(x, c) }")  # fmt: skip
    assert ops(dead_code.run(model)) == ["c = Mul(a, b)", "y = Add(x, c)"]
    folded = fold_constants.run(model)
    assert ops(folded) == ["y = Add(x, c)"]
    assert {name: float(value) for name, value in Index(folded).constants.items()} == {"c": 6}


def test_a_report_says_what_changed():
    model = graph("(float[2] x) => (float[2] y) { a = Relu(x) b = Relu(x) y = Sub(a, b) }")
    report = Report.of("cse", model, cse.run(model))
    assert str(report) == "cse: 3 -> 2 nodes (Relu 2 -> 1)"
    assert str(Report.of("cse", model, model)) == "cse: 3 -> 3 nodes (no operator changed)"
    assert counts(model) == {"Relu": 2, "Sub": 1}
    assert "y = Sub (a, b)" in as_text(model)
