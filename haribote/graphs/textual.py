"""Small graphs from ONNX's text form: `(float[3,2] x) => (float[3,2] y) { r = Relu(x) y = Neg(r) }`."""

from __future__ import annotations

import onnx
import onnx.parser

from haribote.errors import GraphError
from haribote.graph import IR_VERSION, complete
from haribote.operators.functions import OPSET
from simulator.messages import tr


def parsed(text: str) -> onnx.ModelProto:
    """The graph of a text: inputs => outputs { nodes }; every node is named after its value. Raises GraphError."""
    try:
        model = onnx.parser.parse_model(f'<ir_version: {IR_VERSION}, opset_import: ["": {OPSET}]> graph {text}')
    except onnx.parser.ParseError as error:
        raise GraphError(
            tr("this is no graph in ONNX's text form: {error}", error), "(float[2] x) => (float[2] y) { y = Relu(x) }"
        ) from error
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)
