"""Inline: operators that ONNX itself defines by a function body become the nodes of that body."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np
import onnx
from onnx import inliner

from haribote.graph import Index, attributes, clone, complete, inferred
from haribote.operators.bodies import body_by_schema, types_of
from haribote.operators.functions import DOMAIN, FUNCTIONS, OPSET
from haribote.passes.fold_constants import fold_constants

INLINED = "haribote.inlined"
"""The domain of functions on their way into the graph."""
SHAPES = ("Shape", "Size")
"""What asks for what is known without computing."""


def computed(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without what is known before it runs: shapes, and what follows from constants."""
    model = clone(model)
    if any(node.op_type in SHAPES for node in model.graph.node):
        model = settled(model)
    fold_constants(model, outputs=True)
    return complete(model)


def inline(model: onnx.ModelProto, stays: Callable[[onnx.NodeProto, Index], bool]) -> onnx.ModelProto | None:
    """The graph with the function bodies of all nodes that have one in their place, but for those that stay. None where
    there are none.
    """
    index = Index(model)
    written = [number for number, node in enumerate(model.graph.node) if not stays(node, index)]
    if not written:
        return None
    model = clone(model)
    bodies = [body for number in written if (body := _body(model, model.graph.node[number])) is not None]
    if not bodies:
        return None
    model.functions.extend(bodies)
    model.opset_import.append(onnx.helper.make_opsetid(INLINED, 1))
    model = inliner.inline_selected_functions(model, [(INLINED, body.name) for body in bodies])
    _name(model)
    return complete(settled(model))


def settled(model: onnx.ModelProto) -> onnx.ModelProto:
    """The graph without computations on shapes: bodies ask for shapes that are known here."""
    left = -1
    while left != len(model.graph.node):
        left = len(model.graph.node)
        model = inferred(model, data_prop=True)
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
        body = body_by_schema(node, types_of(model), OPSET)
    if body is None:
        return None
    body.name, body.domain = f"{node.op_type}_{node.output[0]}", INLINED
    for entry in body.opset_import:
        if entry.domain == "":
            entry.version = OPSET  # bodies of older versions hold the same nodes
    node.op_type, node.domain = body.name, INLINED
    return body


def _name(model: onnx.ModelProto) -> None:
    """Every node is named after its first output."""
    for node in model.graph.node:
        node.name = next(name for name in node.output if name)
