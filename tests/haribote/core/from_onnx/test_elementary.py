"""A graph in the operators of the stack computes what it computed before."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

from haribote.errors import UnsupportedOp
from haribote.graph import Builder, complete, evaluate
from haribote.stack.planner import elementary


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("(float[4,6] x) => (float[4] y) <int64[1] a = {1}> { y = ReduceMean<keepdims = 0>(x, a) }", "ReduceMean"),
        ("(float[4,6] x) => (float y) { y = ReduceMean<keepdims = 0>(x) }", "ReduceMean"),
        (
            "(int32[4] l) => (float[4,5] y) <int64 d = {5}, float[2] v = {0, 1}> { y = OneHot<axis = -1>(l, d, v) }",
            "OneHot",
        ),
        (
            "(float[4,6] x, int32[4,1] l) => (float[4,1] y) { y = GatherElements<axis = 1>(x, l) }",
            "GatherElements",
        ),
        ("(float[4,6] x) => (float[4,6] y) { y = Softmax<axis = 1>(x) }", "Softmax"),
        ("(float[4,6] x) => (float[2,3] y) <int64[2] a = {1,2}, int64[2] e = {3,5}> { y = Slice(x, a, e) }", "Slice"),
        ("(float[4,6] x) => (float[5,9] y) <int64[4] p = {0,1,1,2}, float v = {3}> { y = Pad(x, p, v) }", "Pad"),
        ("(float[4,6] x) => (float[4,8] y) <float[4,2] z = {1,2,3,4,5,6,7,8}> { y = Concat<axis=1>(x, z) }", "Concat"),
        ("(float[4,6] x) => (float[8,3] y) <int64[2] p = {8,3}> { y = Reshape(x, p) }", "Reshape"),
        ("(float[4,6] x) => (int64[4] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }", "ArgMax"),
        ("(float[4,6] x) => (int64[1,6] y) { y = ArgMin<axis = 0>(x) }", "ArgMin"),
        ("(float[4,6] x) => (float[4,6] y) <int64 a = {1}> { y = CumSum<reverse = 1>(x, a) }", "CumSum"),
        ("(float[4,6] x) => (float[4] y) <float[6] z = {1,2,3,4,5,6}> { y = MatMul(x, z) }", "MatMul"),
        ("(float[4,6] x) => (float[4,3] y, float[4,3] z) { y, z = Split<axis = 1, num_outputs = 2>(x) }", "Split"),
    ],
)
def test_the_meaning_stays(body: str, gone: str) -> None:
    model = graph(body)
    after = elementary.run(model)
    assert gone not in {node.op_type for node in after.graph.node}
    random = np.random.default_rng(1)
    values = {"x": random.standard_normal((4, 6)).astype(np.float32)} if "[4,6] x" in body else {}
    if "int32" in body:
        values["l"] = random.integers(0, 5, (4, 1) if "[4,1] l" in body else 4).astype(np.int32)
    for name, expected in evaluate(model, values).items():
        np.testing.assert_allclose(evaluate(after, values)[name], expected, rtol=1e-6)


def test_names_that_are_taken_stay_as_they_are() -> None:
    """A graph may have the names that its operators' parts would get."""
    builder = Builder("taken")
    x, y = builder.input("x", (1, 3), np.float32), builder.input("y", (2, 3), np.float32)
    names = ("whole.part0", "whole.part1", "whole.sum1")
    values = [builder.op("Neg", name, name=new, reserved=True) for name, new in zip((x, y, x), names, strict=True)]
    builder.op("Concat", *values, name="whole", axis=0)
    builder.output("whole")
    model = builder.finish()
    random = np.random.default_rng(0)
    feeds = {name: random.normal(size=shape).astype(np.float32) for name, shape in (("x", (1, 3)), ("y", (2, 3)))}
    assert np.array_equal(evaluate(elementary.run(model), feeds)["whole"], evaluate(model, feeds)["whole"])


COMPARING = {
    "TopK": "(float[{n}] x) => (float[5] v, int64[5] i) <int64[1] k = {{5}}> {{ v, i = TopK(x, k) }}",
    "ScatterElements": "(float[{n}] x, int64[{n}] i) => (float[{n}] y) {{ y = ScatterElements(x, i, x) }}",
}


@pytest.mark.parametrize("operator", COMPARING)
@pytest.mark.parametrize(("size", "fits"), [(3547, True), (3548, False)])
def test_comparing_too_many_elements_is_refused_at_once(operator: str, size: int, fits: bool) -> None:
    model = graph(COMPARING[operator].format(n=size))
    if fits:
        elementary.run(model)
        return
    says = rf"\({operator}\) compares every element with every other: 12,588,304 pairs"
    with pytest.raises(UnsupportedOp, match=says):
        elementary.run(model)
