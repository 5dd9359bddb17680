"""The evaluator loop, which the product runs for every evaluation of a graph."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper

from haribote.answers import ownership
from haribote.errors import GraphError
from haribote.graph import Builder, evaluate
from haribote.operators.reference import operators, run_nodes

X = np.array([[-1, 0, 2], [3, -4, 5]], np.float32)


def test_left_out_inputs_and_outputs():
    nodes = [helper.make_node("Half", ["x", ""], ["", "y"]), helper.make_node("Double", ["y", ""], ["z"])]
    seen = []

    def compute(node, arrays):
        seen.append(arrays)
        return [arrays[0] + 1, arrays[0] / 2] if node.op_type == "Half" else [arrays[0] * 2]

    given = {"x": X}
    values = run_nodes(nodes, given, compute)
    assert list(values) == ["x", "y", "z"] and list(given) == ["x"]
    assert [arrays[1] for arrays in seen] == [None, None]
    np.testing.assert_array_equal(values["z"], X)


def test_evaluation_runs_the_learners_loop(monkeypatch):
    builder = Builder("small")
    builder.output(builder.op("Relu", builder.input("x", X.shape, X.dtype), name="y"))
    model = builder.finish()
    np.testing.assert_array_equal(evaluate(model, {"x": X})["y"], np.maximum(X, 0))
    learners = {"1.2": lambda nodes, values, compute: {**values, "y": X}}
    monkeypatch.setattr(ownership, "learners_function", learners.get)
    np.testing.assert_array_equal(evaluate(model, {"x": X})["y"], X)


def test_a_graph_inside_a_node_is_refused():
    body = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])], "body", [], [helper.make_empty_tensor_value_info("y")]
    )
    node = helper.make_node("If", ["c"], ["z"], name="z", then_branch=body, else_branch=body)
    graph = helper.make_graph(
        [node], "outer", [helper.make_tensor_value_info("c", 9, []), helper.make_tensor_value_info("x", 1, [2])],
        [helper.make_tensor_value_info("z", 1, [2])],
    )  # fmt: skip
    with pytest.raises(GraphError, match="graph inside"):
        operators(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))


def test_what_is_no_array_is_told():
    builder = Builder("small")
    builder.output(builder.op("Relu", builder.input("x", X.shape, X.dtype), name="y"))
    model = builder.finish()
    with pytest.raises(GraphError, match=r"node 'y': input 'x' must be an array, received \[array"):
        operators(model)(model.graph.node[0], [[X]])


def test_what_the_reference_cannot_compute_is_told_with_its_node():
    builder = Builder("picked")
    builder.output(
        builder.op("Gather", builder.input("x", X.shape, X.dtype), builder.constant(np.array([9]), "nine"), name="y")
    )
    with pytest.raises(GraphError, match=r"node 'y' \(Gather\): ONNX's reference cannot compute it: index 9 is out of"):
        evaluate(builder.finish(), {"x": X})
    shifted = helper.make_node("BitShift", ["x", "x"], ["y"], direction="SIDEWAYS")
    graph = helper.make_graph([shifted], "shifted", [], [])
    with pytest.raises(GraphError, match=r"the graph 'shifted': ONNX's reference cannot compute it: .*SIDEWAYS"):
        operators(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
