"""Inline: operators that ONNX itself defines by a function body become the nodes of that body."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import defs, inliner

from haribote.graph import Index, attributes, clone, complete
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.passes.fold_constants import fold_constants

INLINED = "haribote.inlined"
"""The domain of functions on their way into the graph."""
SHAPES = ("Shape", "Size")
"""What asks for what is known without computing."""


def inline(model: onnx.ModelProto, known: Callable[[onnx.NodeProto], bool]) -> onnx.ModelProto:
    """The graph in which no node that is not `known` has a function body any more; what follows from constants is
    computed.
    """
    if any(node.op_type in SHAPES for node in model.graph.node):
        model = settled(clone(model))
    model = clone(model)
    fold_constants(model, outputs=True)
    model = complete(model)
    while True:
        model = clone(model)
        bodies = [body for node in model.graph.node if not known(node) and (body := _body(model, node)) is not None]
        if not bodies:
            return model
        model.functions.extend(bodies)
        model.opset_import.append(onnx.helper.make_opsetid(INLINED, 1))
        model = inliner.inline_selected_functions(model, [(INLINED, body.name) for body in bodies])
        _name(model)
        model = complete(settled(model))


def settled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without computations on shapes: bodies ask for shapes that are known here."""
    left = -1
    while left != len(model.graph.node):
        left = len(model.graph.node)
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
        shapes = Index(model).shape
        for node in list(model.graph.node):
            if node.op_type in SHAPES and node.input[0] in shapes:
                given, shape = attributes(node), shapes[node.input[0]]
                part = shape[given.get("start", 0) : given.get("end")]
                value = np.array(part if node.op_type == "Shape" else prod(shape), np.int64)
                model.graph.initializer.append(onnx.numpy_helper.from_array(value, node.output[0]))
                model.graph.node.remove(node)
        fold_constants(model)
    return model


def _body(model: onnx.ModelProto, node: onnx.NodeProto) -> onnx.FunctionProto | None:
    """The function body of a node, under a name of its own that the node now calls; None where it has none."""
    if node.domain == DOMAIN:
        body = clone(FUNCTIONS[node.op_type]) if node.op_type in FUNCTIONS else None
    else:
        body = _of_schema(Index(model), node)
    if body is None:
        return None
    body.name, body.domain = f"{node.op_type}_{node.output[0]}", INLINED
    for entry in body.opset_import:
        if entry.domain == "":
            entry.version = OPSET  # bodies of older versions hold the same nodes
    node.op_type, node.domain = body.name, INLINED
    return body


def _of_schema(index: Index, node: onnx.NodeProto) -> onnx.FunctionProto | None:
    """What ONNX says."""
    schema: Any = defs.get_schema(node.op_type, OPSET, node.domain)  # its stub knows nothing of functions
    if not schema.has_context_dependent_function and not schema.has_function:
        return None
    said = {attribute.name for attribute in node.attribute}
    defaults = {name: attribute.default_value for name, attribute in schema.attributes.items() if name not in said}
    node.attribute.extend(value for value in defaults.values() if value.name)  # the body refers to them
    if schema.has_context_dependent_function:
        types = [
            onnx.helper.make_tensor_type_proto(
                onnx.helper.np_dtype_to_tensor_dtype(index.dtype[name]), index.shape[name]
            )
            if name
            else onnx.TypeProto()
            for name in node.input
        ]
        versions = [v for v in schema.context_dependent_function_opset_versions if v <= OPSET]
        text = schema.get_context_dependent_function_with_opset_version(
            versions[-1], node.SerializeToString(), [kind.SerializeToString() for kind in types]
        )
        return onnx.FunctionProto.FromString(text) if text else None
    body: onnx.FunctionProto = schema.function_body
    return clone(body)


def _name(model: onnx.ModelProto) -> None:
    """Every node is named after its first output."""
    for node in model.graph.node:
        node.name = next(name for name in node.output if name)
