"""Fusion: which nodes join, what the fused node means, and what it becomes in C++."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest
import torch

from haribote.compiler import CPP_STAGES, lower
from haribote.cpp.emit import emit
from haribote.frontend.torch import trace_step
from haribote.graph import complete, evaluate
from haribote.graphs.cases import unit_cases
from haribote.passes import fuse
from haribote.passes.report import counts
from haribote.training.models import lenet, mlp


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def ops(model: onnx.ModelProto) -> list[str]:
    return [f"{node.output[0]} = {node.op_type}({', '.join(node.input)})" for node in model.graph.node]


HEAD = "(float[3,2] x, float[2] b, float[2,2] w) => (float[3,2] y)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{ s = Mul(x, b) y = Sub(x, s) }", ["y = MulSub(x, b)"]),
        ("{ s = Neg(x) t = Relu(s) u = Add(s, t) y = Exp(u) }", ["y = NegReluAddExp(x)"]),
        ("{ p = MatMul(x, w) y = Relu(p) }", ["p = MatMul(x, w)", "y = Relu(p)"]),
        ("{ p = Gemm(x, w) y = Add(p, b) }", ["y = Gemm(x, w, b)"]),
        ("{ p = Gemm(x, w) q = Add(p, b) y = Relu(q) }", ["y = GemmRelu(x, w, b)"]),
        ("{ p = Gemm(x, w) q = Relu(p) y = Add(p, q) }", ["y = GemmReluAdd(x, w)"]),
        ("{ p = Gemm(x, w) q = Gemm(x, w) y = Add(p, q) }", ["q = Gemm(x, w)", "y = Gemm(x, w, q)"]),
        # The smaller value would be computed again for every row.
        ("{ c = Exp(b) y = Add(x, c) }", ["c = Exp(b)", "y = Add(x, c)"]),
        # Two nodes need r, and a Gemm takes its factors as they are.
        (
            "{ r = Relu(x) p = Gemm(r, w) q = Neg(r) t = Gemm(q, w) y = Add(p, t) }",
            ["r = Relu(x)", "q = Neg(r)", "t = Gemm(q, w)", "y = Gemm(r, w, t)"],
        ),
    ],
)
def test_before_and_after(body, expected):
    before = graph(f"{HEAD} {body}")
    after = fuse.run(before)
    random = np.random.default_rng(0)
    feeds = {name: random.standard_normal(s).astype(np.float32) for name, s in (("x", (3, 2)), ("b", 2), ("w", (2, 2)))}
    assert ops(after) == expected
    np.testing.assert_allclose(evaluate(after, feeds)["y"], evaluate(before, feeds)["y"], rtol=1e-6)


def test_outputs_of_the_graph_stay_visible():
    model = graph("(float[2] x) => (float[2] r, float[2] y) { r = Relu(x) y = Neg(r) }")
    assert ops(fuse.run(model)) == ["r = Relu(x)", "y = Neg(r)"]


def test_equal_bodies_share_a_function_and_others_get_a_number():
    model = graph(
        "(float[2] a, float[2] b) => (float[2] p, float[2] q, float[2] r) { s = Mul(a, b) p = Sub(a, s) "
        "t = Mul(b, a) q = Sub(b, t) u = Mul(a, b) r = Sub(u, a) }"
    )
    fused = fuse.run(model)
    assert [(node.output[0], node.op_type) for node in fused.graph.node] == [
        ("p", "MulSub"), ("q", "MulSub"), ("r", "MulSub2"),
    ]  # fmt: skip
    assert [function.name for function in fused.functions] == ["MulSub", "MulSub2"]


def test_the_steps_of_mlp_and_lenet():
    for model, shape, before, after in ((mlp(784, 16, 10), (784,), 25, 13), (lenet(), (1, 28, 28), 61, 41)):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        traced = trace_step(model, optimizer, torch.zeros(2, *shape), torch.zeros(2, dtype=torch.int64))
        sizes = {}
        lower(traced, stages=CPP_STAGES, watch=lambda stage, _, graph, sizes=sizes: sizes.update({stage: graph}))
        assert counts(sizes["simplify"]).total() == counts(sizes["cse"]).total() == before
        assert counts(sizes["fuse"]).total() == after


def test_a_fused_node_is_one_loop_in_cpp_and_a_case_of_its_own():
    model = fuse.run(graph(f"{HEAD} {{ p = Gemm(x, w) q = Add(p, b) y = Relu(q) }}"))
    source = emit({"step": model})
    assert source.count("packed_map<") == 1 and "gemm0 < 0 ? 0 : gemm0" in source
    assert "op::step_nodes::GemmRelu(x, w, b, y);" in source
    feeds = {"x": np.ones((3, 2), np.float32), "b": np.ones(2, np.float32), "w": np.eye(2, dtype=np.float32)}
    (case,) = unit_cases(model, feeds)
    assert case.name == "GemmRelu_3x2_2x2_2_3x2"
    np.testing.assert_array_equal(evaluate(case.model, case.inputs)["y"], case.outputs["y"])
