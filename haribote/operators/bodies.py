"""The function bodies by which ONNX itself defines operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx
from onnx import defs

from haribote.constants import clone


def types_of(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """Of every value of a model whose type is known: its type and shape."""
    graph = model.graph
    found = {
        tensor.name: onnx.helper.make_tensor_type_proto(tensor.data_type, tensor.dims) for tensor in graph.initializer
    }
    return found | {info.name: info.type for info in [*graph.input, *graph.value_info, *graph.output]}


def body_by_schema(
    node: onnx.NodeProto, types: Mapping[str, onnx.TypeProto], version: int
) -> onnx.FunctionProto | None:
    """The body of a node's operator in an opset; None where ONNX gives none. The node gets its defaults as attributes,
    to which the body refers.
    """
    schema: Any = defs.get_schema(node.op_type, version, node.domain)  # its stub knows nothing of functions
    if not schema.has_context_dependent_function and not schema.has_function:
        return None
    said = {attribute.name for attribute in node.attribute}
    defaults = {name: attribute.default_value for name, attribute in schema.attributes.items() if name not in said}
    node.attribute.extend(value for value in defaults.values() if value.name)
    if not schema.has_context_dependent_function:
        body: onnx.FunctionProto = clone(schema.function_body)
        return body
    given = [types.get(name, onnx.TypeProto()) if name else onnx.TypeProto() for name in node.input]
    versions = [known for known in schema.context_dependent_function_opset_versions if known <= version]
    text = schema.get_context_dependent_function_with_opset_version(
        versions[-1], node.SerializeToString(), [kind.SerializeToString() for kind in given]
    )
    return onnx.FunctionProto.FromString(text) if text else None
