"""Files whose nodes are not whole, or whose functions never end: one error each, whoever reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from haribote.errors import GraphError
from haribote.frontend.onnx_file import read
from haribote.graph import load

IMAGE, MINE = (1, 1, 5, 5), "mine"


def model(nodes: list[onnx.NodeProto], *constants: onnx.TensorProto, opset: int = 20) -> onnx.ModelProto:
    """x[1, 1, 5, 5] and the condition c -> y, of any shape."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, IMAGE)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "damaged", [x], [y], list(constants))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(op_type: str, reads: list[str], **attributes: object) -> onnx.ModelProto:
    return model([helper.make_node(op_type, reads, ["y"], name="n", **attributes)])


def conditional(condition: np.ndarray, then: str = "then") -> onnx.ModelProto:
    """An If of a constant. then: the output of its branch."""
    out = helper.make_tensor_value_info(then, TensorProto.FLOAT, None)
    branch = helper.make_graph([helper.make_node("Relu", ["x"], ["then"])], "branch", [], [out] if then else [])
    both = helper.make_node("If", ["c"], ["y"], name="n", then_branch=branch, else_branch=branch)
    return model([both], numpy_helper.from_array(condition, "c"))


def functions(calls: int, count: int) -> onnx.ModelProto:
    """Functions that each call the next one so often; the last one calls the first where count is 0."""
    sets = [helper.make_opsetid("", 20), helper.make_opsetid(MINE, 1)]
    bodies = []
    for number in range(max(count, 1)):
        called = f"F{number + 1 if count else 0}"
        inner = [helper.make_node(called, [f"v{k}"], [f"v{k + 1}"], domain=MINE) for k in range(calls)]
        bodies.append(helper.make_function(MINE, f"F{number}", ["v0"], [f"v{calls}"], inner, sets))
    if count:
        bodies.append(
            helper.make_function(MINE, f"F{count}", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], sets)
        )
    found = model([helper.make_node("F0", ["x"], ["y"], domain=MINE, name="n")])
    found.functions.extend(bodies)
    found.opset_import.append(sets[1])
    return found


@pytest.mark.parametrize("reader", [read, load])
@pytest.mark.parametrize(
    "made, wanted",
    [
        (functions(2, 40), r"1,099,511,627,776 nodes; at most 20,000 are taken"),
        (functions(1, 0), "call each other more than 100 deep"),
        (conditional(np.array([True, False])), "cannot be written in those of opset 20"),
        (conditional(np.array(True), then=""), "cannot be written in those of opset 20"),
    ],
    ids=["exponential functions", "recursive function", "two conditions", "no result"],
)
def test_what_is_written_out(
    reader: Callable[[Path], object], made: onnx.ModelProto, wanted: str, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.onnx"
    path.write_bytes(made.SerializeToString())
    with pytest.raises(GraphError, match=wanted) as told:
        reader(path)
    assert str(path) in str(told.value)


@pytest.mark.parametrize(
    "made, wanted",
    [
        (node("Shape", []), "'y', Shape, reads 1 values or more, received 0"),
        (node("Swish", ["x"]), r"'n' \(Swish\): ONNX has no such operator in opset 20"),
        (node("MaxPool", ["x"], ceil_mode=1), r"'n' \(MaxPool\): its attribute 'kernel_shape' is missing"),
        (
            node("MaxPool", ["x"], ceil_mode=1, kernel_shape=[2, 2], strides=[0, 0]),
            "strides must only contain positive",
        ),
        (node("MaxPool", ["x"], ceil_mode=1, kernel_shape=[2, 2], strides=[1]), "strides has incorrect size"),
        (node("MaxPool", ["x"], ceil_mode=1, kernel_shape=[2, 2, 2]), "kernel_shape"),
    ],
    ids=["no operand", "newer operator", "no attribute", "stride 0", "one stride", "three axes"],
)
def test_nodes_that_are_not_whole(made: onnx.ModelProto, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.onnx"
    path.write_bytes(made.SerializeToString())
    with pytest.raises(GraphError, match=wanted):
        read(path)


def test_functions_that_end_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "deep.onnx"
    path.write_bytes(functions(2, 4).SerializeToString())
    assert [entry.op_type for entry in read(path).graph.node] == ["Relu"] * 16
