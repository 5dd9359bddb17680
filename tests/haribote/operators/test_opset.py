"""Graphs of older opsets keep their meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator

from haribote.errors import GraphError
from haribote.frontend.onnx_file import adapted
from haribote.graph import evaluate, load
from haribote.operators.opset import at_our_opset

X = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)


def one_node(op_type: str, opset: int, shape: tuple[int, ...], **attributes: Any) -> onnx.ModelProto:
    """y = op_type(x) of x [2, 3, 4], as an exporter of that time wrote it."""
    node = helper.make_node(op_type, ["x"], ["y"], name="n", **attributes)
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, X.shape)
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def old_softmax() -> NDArray[np.float32]:
    """Until opset 12: of all axes from the first one on together."""
    e = np.exp(X)
    found: NDArray[np.float32] = e / e.sum((1, 2), keepdims=True)
    return found


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (one_node("Softmax", 11, (2, 3, 4)), old_softmax()),
        (one_node("ReduceSum", 11, (2, 4), axes=[1], keepdims=0), X.sum(1)),
        (one_node("ReduceMax", 13, (2, 4), axes=[1], keepdims=0), X.max(1)),
        (one_node("Relu", 21, (2, 3, 4)), np.maximum(X, 0)),
    ],
)
def test_the_meaning_is_that_of_the_opset(model: onnx.ModelProto, wanted: NDArray[np.float32], tmp_path: Path) -> None:
    onnx.save(model, tmp_path / "old.onnx")
    for ours in (at_our_opset(model), load(tmp_path / "old.onnx")):
        np.testing.assert_allclose(evaluate(ours, {"x": X})["y"], wanted, rtol=1e-6)


def test_what_cannot_be_converted_is_refused() -> None:
    model = one_node("Relu", 1000, (2, 3, 4))
    with pytest.raises(GraphError, match="the graph is of opset 1000; the newest that the installed onnx"):
        at_our_opset(model)


@pytest.mark.parametrize(
    "text",
    [
        '<opset_import: ["": 24]> g (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Swish (x) }',
        '<opset_import: ["": 23]> g (float[2, 3, 4] x, float[4] s) => (float[2, 3, 4] y) {'
        " y = RMSNormalization <axis = -1> (x, s) }",
        '<opset_import: ["": 21]> g (float[2, 4, 3] x, float[4] s, float[4] b) => (float[2, 4, 3] y) {'
        " y = GroupNormalization <num_groups = 2> (x, s, b) }",
        '<opset_import: ["": 23]> g (float[2, 3, 4] x) => (float[2, 3, 4] y) { y = Attention <q_num_heads = 2,'
        " kv_num_heads = 2> (x, x, x) }",
        '<opset_import: ["": 25]> g (float[2, 3, 4] x) => (int32[2, 3, 4] y) { y = Cast <to = 6> (x) }',
    ],
)
def test_operators_of_newer_opsets_keep_their_meaning(text: str) -> None:
    model = onnx.parser.parse_model(f"<ir_version: 10, {text[1:]}")
    random = np.random.default_rng(1)
    feeds = {
        info.name: random.standard_normal([dim.dim_value for dim in info.type.tensor_type.shape.dim]).astype(np.float32)
        for info in model.graph.input
    }
    found = evaluate(adapted(model, {}), feeds)["y"]
    np.testing.assert_allclose(found, ReferenceEvaluator(model).run(None, feeds)[0], rtol=1e-5, atol=1e-6)


def test_what_a_newer_operator_says_beyond_ours_is_refused() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 28]> g (int8[4] x, float[2] scale) => (float[4] y)'
        " { y = DequantizeLinear <axis = 0, block_size = 2> (x, scale) }"
    )
    with pytest.raises(GraphError, match="block_size=2 of opset 28 is not supported"):
        at_our_opset(model)
