"""Files of other origin: opsets, open axes, constants as nodes, and what cannot be taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from haribote.errors import GraphError
from haribote.frontend.onnx_file import adapted, read
from haribote.graph import Index, evaluate


def foreign(opset: int, first: int | str = 4) -> onnx.ModelProto:
    """Flatten by computed shapes, then a Softmax; nodes without names, a weight that is also an input."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Constant", [], ["zero"], value=helper.make_tensor("z", TensorProto.INT64, [1], [0])),
        helper.make_node("Gather", ["shape", "zero"], ["rows"]),
        helper.make_node("Constant", [], ["rest"], value=helper.make_tensor("r", TensorProto.INT64, [1], [-1])),
        helper.make_node("Concat", ["rows", "rest"], ["flat"], axis=0),
        helper.make_node("Reshape", ["x", "flat"], ["table"]),
        helper.make_node("MatMul", ["table", "w"], ["product"]),
        helper.make_node("Softmax", ["product"], ["y"], axis=1),
    ]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [6, 3], list(range(18)))
    infos = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [first, 2, 3]),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [6, 3]),
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, [first, 3])
    graph = helper.make_graph(nodes, "g", infos, [result], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)


@pytest.mark.parametrize("opset", [9, 13, 20])
def test_opsets_are_converted_and_shapes_computed(opset: int) -> None:
    model = adapted(foreign(opset), {})
    assert "Shape" not in {node.op_type for node in model.graph.node}
    assert Index(model).inputs == ["x"]
    x = np.random.default_rng(0).standard_normal((4, 2, 3)).astype(np.float32)
    logits = x.reshape(4, 6).astype(np.float64) @ np.arange(18).reshape(6, 3)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    np.testing.assert_allclose(evaluate(model, {"x": x})["y"], shares / shares.sum(1, keepdims=True), atol=1e-5)


def test_open_axes_get_a_size_or_are_named() -> None:
    assert Index(adapted(foreign(20, "batch"), {"batch": 2})).shape["y"] == (2, 3)
    with pytest.raises(GraphError, match="size of the axis 'batch' is not known") as caught:
        adapted(foreign(20, "batch"), {})
    assert "--size batch=1" in str(caught.value)


def test_what_cannot_be_taken_is_named(tmp_path: Path) -> None:
    model = foreign(20)
    model.graph.node[-1].domain = "com.example"
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    with pytest.raises(GraphError, match=r"'y' \(Softmax\) is of the domain 'com.example'"):
        adapted(model, {})
    with pytest.raises(GraphError, match="No such file"):
        read(tmp_path / "missing.onnx")
    (tmp_path / "text.onnx").write_text("no graph at all")
    with pytest.raises(GraphError, match="is not an ONNX file"):
        read(tmp_path / "text.onnx")


def test_folders_and_files_are_read(tmp_path: Path) -> None:
    onnx.save(foreign(13), str(tmp_path / "model.onnx"))
    assert read(tmp_path).graph == read(tmp_path / "model.onnx").graph
