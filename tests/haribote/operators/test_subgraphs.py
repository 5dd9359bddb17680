"""Nodes with graphs inside whose conditions follow from shapes are written out."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from haribote.operators.subgraphs import written_out


@pytest.mark.parametrize(("size", "taken"), [(3, "Exp"), (4, "Log")])
def test_a_branch_is_taken_by_the_size_of_an_input(size: int, taken: str) -> None:
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 20]> g (float[{size}] x) => (float[{size}] y) <int64 three = {{3}}> {{ '
        "count = Size (x) c = Equal (count, three) "
        f"y = If (c) <then_branch = one () => (float[{size}] a) {{ a = Exp (x) }}, "
        f"else_branch = other () => (float[{size}] b) {{ b = Log (x) }}> }}"
    )
    names = {node.op_type for node in written_out(model).graph.node}
    assert taken in names and "If" not in names


def test_a_branch_that_values_decide_stays() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (bool c, float[3] x) => (float[3] y) { '
        "y = If (c) <then_branch = one () => (float[3] a) { a = Exp (x) }, "
        "else_branch = other () => (float[3] b) { b = Log (x) }> }"
    )
    assert written_out(model) is model


def test_what_the_turns_of_a_loop_give_is_stacked() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (float[2] x) => (float[3, 2] all) '
        "<int64 six = {6}, int64 two = {2}, bool yes = {1}> { turns = Div (six, two) "
        "last, all = Loop (turns, yes, x) <body = turn (int64 i, bool c, float[2] a) "
        "=> (bool on, float[2] b, float[2] d) { on = Identity (c) b = Add (a, a) d = Identity (a) }> }"
    )
    found = written_out(model)
    assert "Loop" not in {node.op_type for node in found.graph.node}
    (rows,) = ReferenceEvaluator(found).run(None, {"x": np.array([1, 3], np.float32)})
    assert rows.tolist() == [[1, 3], [2, 6], [4, 12]]


def test_the_scan_of_opset_8_goes_along_each_element_of_a_batch() -> None:
    shapes = {
        "start": [2, 2],
        "x": [2, 3, 2],
        "last": [2, 2],
        "sums": [2, 3, 2],
        "s": [2],
        "a": [2],
        "b": [2],
        "c": [2],
    }
    info = {name: onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in shapes.items()}
    nodes = [onnx.helper.make_node("Add", ["s", "a"], ["b"]), onnx.helper.make_node("Identity", ["b"], ["c"])]
    body = onnx.helper.make_graph(nodes, "turn", [info["s"], info["a"]], [info["b"], info["c"]])
    scan = onnx.helper.make_node(
        "Scan", ["", "start", "x"], ["last", "sums"], body=body, num_scan_inputs=1, directions=[1]
    )
    graph = onnx.helper.make_graph([scan], "g", [info["start"], info["x"]], [info["last"], info["sums"]])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 8)], ir_version=3)
    found = written_out(model)
    assert "Scan" not in {node.op_type for node in found.graph.node}
    start, x = np.array([[0, 100], [7, 0]], np.float32), np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    last, sums = ReferenceEvaluator(found).run(None, {"start": start, "x": x})
    assert np.array_equal(sums, start[:, None] + np.cumsum(x[:, ::-1], axis=1))
    assert np.array_equal(last, sums[:, -1])
