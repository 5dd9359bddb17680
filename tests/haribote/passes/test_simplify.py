"""Simplify keeps the meaning and leaves nothing that does nothing."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

from haribote.graph import attributes, complete, evaluate
from haribote.passes import simplify


def graph(body: str) -> onnx.ModelProto:
    """A graph from ONNX's text form; nodes named after their outputs."""
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def ops(model: onnx.ModelProto) -> list[str]:
    return [f"{node.output[0]} = {node.op_type}({', '.join(node.input)})" for node in model.graph.node]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "(float[3,2] a, float[4,3] b) => (float[2,4] y) { ta = Transpose<perm=[1,0]>(a) "
            "tb = Transpose<perm=[1,0]>(b) y = MatMul(ta, tb) }",
            ["y = Gemm(a, b)"],
        ),
        ("(float[3,2] a, float[2,4] b) => (float[3,4] y) { y = MatMul(a, b) }", ["y = Gemm(a, b)"]),
        (
            "(float[3,2] a) => (float[3,2] y) { t = Transpose<perm=[1,0]>(a) "
            "u = Transpose<perm=[1,0]>(t) y = Relu(u) }",
            ["y = Relu(a)"],
        ),
        (
            "(float[3,2] a, float[4,3] b) => (float[4,2] y) { ta = Transpose<perm=[1,0]>(a) "
            "tb = Transpose<perm=[1,0]>(b) p = MatMul(ta, tb) y = Transpose<perm=[1,0]>(p) }",
            ["y = Gemm(b, a)"],
        ),
        ("(float[3] a) => (float[3] y) { b = Identity(a) c = Relu(b) y = Identity(c) }", ["y = Relu(a)"]),
        ("(float[3] a) => (float[3] y) { y = Identity(a) }", ["y = Identity(a)"]),
        (
            "(float[3] a) => (float[3] y, float[3] z) { y = Relu(a) z = Identity(y) }",
            ["y = Relu(a)", "z = Identity(y)"],
        ),
        ("(float[3] a) => (float[3] y) <float one = {1.0}> { b = Mul(a, one) y = Relu(b) }", ["y = Relu(a)"]),
        ("(float[3] a) => (float[3] y) { unused = Exp(a) y = Relu(a) }", ["y = Relu(a)"]),
        (
            "(float[3] a) => (float[3] y) <float n = {4.0}, float one = {1.0}> { s = Div(one, n) y = Mul(a, s) }",
            ["y = Mul(a, s)"],
        ),
        (
            "(float[3,2] a) => (float[2] y) <int64[1] axis = {0}, int64[1] shape = {2}> "
            "{ s = ReduceSum<keepdims=1>(a, axis) y = Reshape(s, shape) }",
            ["y = ReduceSum(a, axis)"],
        ),
        (
            "(float[3,2] a) => (float[2] y, float[1,2] s) <int64[1] axis = {0}, int64[1] shape = {2}> "
            "{ s = ReduceSum<keepdims=1>(a, axis) r = Reshape(s, shape) y = Relu(r) }",
            ["s = ReduceSum(a, axis)", "r = Reshape(s, shape)", "y = Relu(r)"],
        ),
        (
            "(float[2,3,4] a) => (float[2,3,4] y) { t = Transpose(a) u = Transpose(t) y = Relu(u) }",
            ["y = Relu(a)"],
        ),
        (
            "(float[4,4] a, float[4,4] b) => (float[4,4] y) { t = Transpose<perm=[0,1]>(a) y = MatMul(t, b) }",
            ["y = Gemm(a, b)"],
        ),
        (
            "(float[4,4] a, float[4,4] b) => (float[4,4] t, float[4,4] y) "
            "{ t = Transpose<perm=[0,1]>(a) y = MatMul(t, b) }",
            ["t = Transpose(a)", "y = Gemm(t, b)"],
        ),
        (
            "(float[4,4] a, float[4,4] b) => (float[4,4] y) { p = MatMul(a, b) y = Transpose<perm=[0,1]>(p) }",
            ["y = Gemm(a, b)"],
        ),
        (
            "(float[4,4] a, float[4,4] b) => (float[4,4] y) { p = Gemm<alpha=0.0>(a, b) y = Transpose(p) }",
            ["y = Gemm(b, a)"],
        ),
        (
            "(float[2,3] a) => (float y) <int64[0] shape = {}> { s = ReduceSum<keepdims=1>(a) y = Reshape(s, shape) }",
            ["s = ReduceSum(a)", "y = Reshape(s, shape)"],
        ),
    ],
)
def test_before_and_after(body, expected):
    before = graph(body)
    copy = before.SerializeToString()
    after = simplify.run(before)
    assert ops(after) == expected
    assert before.SerializeToString() == copy, "the input must stay untouched"
    rng = np.random.default_rng(0)
    feeds = {
        info.name: rng.standard_normal([d.dim_value for d in info.type.tensor_type.shape.dim]).astype(np.float32)
        for info in before.graph.input
    }
    want, got = evaluate(before, feeds), evaluate(after, feeds)
    assert list(want) == list(got)
    for name in want:
        np.testing.assert_allclose(got[name], want[name], rtol=1e-6)


def test_what_chance_gives_is_no_constant():
    model = graph("(float[2,3] a) => (float[2,3] y) { r = RandomNormal<shape=[2,3]>() y = Mul(r, a) }")
    assert ops(simplify.run(model)) == ["r = RandomNormal()", "y = Mul(r, a)"]


def test_transposes_become_flags():
    model = simplify.run(
        graph("(float[3,2] a, float[3,4] b) => (float[2,4] y) { t = Transpose<perm=[1,0]>(a) y = MatMul(t, b) }")
    )
    assert attributes(model.graph.node[0]) == {"transA": 1}


def test_the_later_name_survives_where_nothing_reads_the_earlier():
    body = (
        "(float[3,2] a) => (float[3,2] y, float[2,3] z) "
        "{ raw = Relu(a) t = Transpose<perm=[1,0]>(raw) grad = Transpose<perm=[1,0]>(t) y = Exp(grad) %s }"
    )
    assert ops(simplify.run(graph(body % "b = Transpose<perm=[1,0]>(a) z = Exp(b)")))[0] == "grad = Relu(a)"
    assert ops(simplify.run(graph(body % "z = Exp(t)")))[0] == "raw = Relu(a)"


def test_step_equals_torch(step, assert_equal):
    assert_equal(evaluate(simplify.run(step.graph), step.feeds), step.expected(1))


def test_step_is_plain(step):
    model = simplify.run(step.graph)
    assert not {"Transpose", "MatMul", "Reshape", "Identity"} & {node.op_type for node in model.graph.node}
    assert model.metadata_props == step.graph.metadata_props
    assert simplify.run(model) == model
