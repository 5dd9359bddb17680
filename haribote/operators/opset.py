"""Graphs of other opsets: in older ones the same operators have other attributes, and Softmax another meaning."""

from __future__ import annotations

import onnx
from onnx import shape_inference, version_converter

from haribote.errors import GraphError
from haribote.operators.functions import OPSET


def at_our_opset(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function in the operators of our opset; the model itself where it says no other. Raises GraphError."""
    version = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), OPSET)
    if version == OPSET:
        return model
    try:
        model = version_converter.convert_version(model, OPSET)
    except Exception as error:  # its errors have no common class
        raise GraphError(
            f"ONNX cannot convert the graph from opset {version} to {OPSET}: {str(error).strip()[:300]}",
            f"export it with opset {OPSET}",
        ) from error
    for node in model.graph.node:
        node.name = node.name or next(name for name in node.output if name)  # ONNX leaves new nodes without one
    return shape_inference.infer_shapes(model)
