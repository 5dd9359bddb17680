"""Common subexpressions: what is computed twice from the same values is computed once."""

from __future__ import annotations

from collections import Counter

import onnx

from haribote.graph import clone, complete
from haribote.passes.dead_code import remove_dead_code

_COMMUTATIVE = {"Add", "Mul"}


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph, in which no two nodes do the same to the same values, and no two constants are equal.

    The first of several equal nodes stays. A node that makes an output of the graph stays too, under its own name.
    """
    model = clone(model)
    merge_constants(model)
    merge_nodes(model)
    remove_dead_code(model)
    return complete(model)


def merge_constants(model: onnx.ModelProto) -> None:
    """Let all readers of equal constants read the first of them. In place."""
    shaped = Counter(map(_shape, model.graph.initializer))
    first: dict[bytes, str] = {}
    equal: dict[str, str] = {}
    for tensor in model.graph.initializer:
        if shaped[_shape(tensor)] > 1:  # a large one is often the only one of its shape
            content = clone(tensor)
            content.name = ""
            equal[tensor.name] = first.setdefault(content.SerializeToString(deterministic=True), tensor.name)
    for node in model.graph.node:
        node.input[:] = [equal.get(name, name) for name in node.input]


def _shape(tensor: onnx.TensorProto) -> tuple[int, ...]:
    return (tensor.data_type, *tensor.dims)


def merge_nodes(model: onnx.ModelProto) -> None:
    """Let all readers of equal nodes read the first of them. In place."""
    outputs = {info.name for info in model.graph.output}
    first: dict[bytes, onnx.NodeProto] = {}
    equal: dict[str, str] = {}
    for node in model.graph.node:
        node.input[:] = [equal.get(name, name) for name in node.input]
        twin = first.setdefault(_meaning(node), node)
        if twin is not node and not outputs & set(node.output):
            equal.update(zip(node.output, twin.output, strict=True))


def _meaning(node: onnx.NodeProto) -> bytes:
    """What the node does and to which values, without names of its own; equal for equal nodes."""
    inputs = sorted(node.input) if node.op_type in _COMMUTATIVE else list(node.input)
    bare = onnx.NodeProto(op_type=node.op_type, domain=node.domain, input=inputs)
    bare.attribute.extend(sorted(node.attribute, key=lambda attribute: attribute.name))
    bare.output.extend("used" if name else "" for name in node.output)
    meaning: bytes = bare.SerializeToString(deterministic=True)
    return meaning
