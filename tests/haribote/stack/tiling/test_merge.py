"""Axes that no operator tells apart, merged: the same cycles and values as with one axis."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from haribote.errors import GraphError
from haribote.graph import Index, complete
from haribote.stack.program.compiled import built
from haribote.stack.program.ownership import trespasses
from haribote.stack.program.session import session_of
from haribote.stack.program.walk import walk
from haribote.stack.tiling import merge
from simulator import Machine


def _model(nodes: list[onnx.NodeProto], **shapes: tuple[int, ...]) -> onnx.ModelProto:
    """Inputs by name; the output is `y`."""
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()}
    result = values.pop("y")
    graph = helper.make_graph(nodes, "merged", list(values.values()), [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _relu(shape: tuple[int, ...]) -> onnx.ModelProto:
    return _model([helper.make_node("Relu", ["x"], ["y"], name="relu")], x=shape, y=shape)


@pytest.fixture(scope="module")
def flat_cost() -> tuple[float, float | None]:
    """Of 2,187 elements in one axis."""
    cost = built(_relu((2187,))).executable.cost
    return cost.cycles, cost.overlapped


@pytest.mark.parametrize("shape", [(3,) * 7, (27, 81), (3, 729)])
def test_relu_takes_as_long_in_any_shape(shape: tuple[int, ...], flat_cost: tuple[float, float | None]) -> None:
    found = built(_relu(shape))
    assert (found.executable.cost.cycles, found.executable.cost.overlapped) == flat_cost
    assert not trespasses(found)
    value = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    session = session_of(found.executable, Machine())
    session.write("x", value)
    session.step({})
    assert session.read("y").shape == shape
    assert (session.read("y") == np.maximum(value, 0)).all()
    with pytest.raises(GraphError, match="has shape"):
        session.write("x", value.reshape(-1))


def _shapes(model: onnx.ModelProto) -> dict[str, tuple[int, ...]]:
    return dict(Index(merge(complete(model))).shape)


def test_axes_of_a_broadcast_operand_stay_where_it_has_one_of_them() -> None:
    add = helper.make_node("Add", ["x", "b"], ["y"], name="add")
    found = _shapes(_model([add], x=(5, 3, 3, 7), b=(7,), y=(5, 3, 3, 7)))
    assert found == {"x": (45, 7), "b": (7,), "y": (45, 7)}


def test_both_axes_of_a_broadcast_operand_are_merged_too() -> None:
    add = helper.make_node("Add", ["x", "b"], ["y"], name="add")
    found = _shapes(_model([add], x=(4, 1, 3, 3), b=(3, 3), y=(4, 1, 3, 3)))
    assert found["b"] == (9,) and found["x"] == (4, 1, 9)


def test_what_another_operator_reads_stays_as_it_is() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], name="relu"),
        helper.make_node("Softmax", ["r"], ["y"], name="softmax", axis=1),
    ]
    assert _shapes(_model(nodes, x=(3, 3, 3), y=(3, 3, 3)))["x"] == (3, 3, 3)


def test_a_walk_finds_nothing() -> None:
    value = np.random.default_rng(1).standard_normal((3, 5, 3)).astype(np.float32)
    assert not walk(built(_relu((3, 5, 3))), {"x": value}).wrong
