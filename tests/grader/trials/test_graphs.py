"""Graphs as answers: hostile bytes are refused, honest graphs are taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from grader.trials.graphs import MOST_ELEMENTS, model_in
from haribote.errors import GraphError
from haribote.graph import Builder, complete


def graph(*nodes: onnx.NodeProto, shape: tuple[int, ...] = (2, 2)) -> onnx.ModelProto:
    builder = Builder("graph")
    builder.input("x", shape, "float32")
    builder.output("y")
    builder.model.graph.node.extend(nodes)
    return builder.model


def node(op_type: str, *inputs: str, output: str = "y", domain: str = "", **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, inputs, [output], name=output, domain=domain, **attributes)


def hostile() -> Iterator[tuple[str, onnx.ModelProto]]:
    body = helper.make_graph([], "body", [], [])
    yield "not used in the course", graph(node("Loop", "", "", "x", body=body))
    yield "not used in the course", graph(node("If", "x", then_branch=body, else_branch=body))
    yield "not used in the course", graph(node("Relu", "x", domain="com.example"))
    yield "of a kind that the course does not use", graph(node("Relu", "x", body=body))
    outside = graph(node("Add", "x", "secret"))
    tensor = outside.graph.initializer.add(name="secret", data_type=TensorProto.FLOAT, dims=[2, 2])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="../../etc/passwd")
    yield "refers to a file", outside
    constant = helper.make_tensor("c", TensorProto.FLOAT, [1], [1.0])
    constant.external_data.add(key="location", value="/etc/passwd")
    yield "refers to a file", graph(node("Constant", value=constant))
    huge = graph(node("Expand", "x", "shape"), shape=(1, 1))
    huge.graph.initializer.append(helper.make_tensor("shape", TensorProto.INT64, [2], [2**20, 2**20]))
    yield f"at most {MOST_ELEMENTS} elements", huge
    deep = graph(*(node("Relu", "x", output=f"y{number}") for number in range(6000)))
    yield "at most 5000 nodes", deep
    bomb = graph(node("Bomb", "x", domain="haribote"), shape=(1, 1))
    grown = [
        helper.make_node("Constant", [], ["shape"], value_ints=[2**14, 2**14]),
        helper.make_node("Expand", ["a", "shape"], ["big"]),
        helper.make_node("Constant", [], ["axes"], value_ints=[0, 1]),
        helper.make_node("ReduceSum", ["big", "axes"], ["b"], keepdims=1),
    ]
    function = helper.make_function("haribote", "Bomb", ["a"], ["b"], grown, [helper.make_opsetid("", 20)])
    bomb.functions.append(function)
    yield f"at most {MOST_ELEMENTS} elements", bomb
    chain = graph(node("One", "x", domain="haribote"))
    one = [helper.make_node("Two", ["a"], ["b"], domain="haribote")]
    chain.functions.append(helper.make_function("haribote", "One", ["a"], ["b"], one, [helper.make_opsetid("", 20)]))
    two = [helper.make_node("Relu", ["a"], ["b"])]
    chain.functions.append(helper.make_function("haribote", "Two", ["a"], ["b"], two, [helper.make_opsetid("", 20)]))
    yield "not used in the course", chain
    yield "nobody", graph(node("Add", "x", "nobody"))
    yield "shapes do not fit", graph(node("Reshape", "x", "x"))


@pytest.mark.parametrize("message, model", list(hostile()))
def test_hostile_graphs_are_refused(message: str, model: onnx.ModelProto) -> None:
    with pytest.raises((GraphError, ValueError), match=message):
        model_in({"model": model.SerializeToString()})


@pytest.mark.parametrize("content", [b"\xff\xff", b"garbage" * 100, 3, None, b"x" * (16 * 2**20 + 1)])
def test_other_bytes_are_refused(content: Any) -> None:
    with pytest.raises(GraphError):
        model_in({"model": content})


def test_honest_graphs_are_taken() -> None:
    model = complete(graph(node("Relu", "x")))
    assert model_in({"model": model.SerializeToString()}) == model
