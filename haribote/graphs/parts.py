"""A part of a graph as a graph of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import onnx

from haribote.graph import Builder, Index


def part_of(
    model: onnx.ModelProto,
    nodes: Sequence[onnx.NodeProto],
    outputs: Iterable[str],
    name: str,
    index: Index | None = None,
) -> onnx.ModelProto:
    """The graph of these nodes, in their order; constants stay constants.

    Its inputs are what the nodes read and do not make: those of the model in the model's order, then inner values.
    outputs: names of values that the nodes make. Raises GraphError.
    """
    index = index or Index(model)
    builder = Builder(name)
    builder.model.functions.extend(model.functions)
    made = {value for node in nodes for value in node.output}
    read = dict.fromkeys(value for node in nodes for value in node.input if value and value not in made)
    for value in [*(value for value in index.inputs if value in read), *read]:
        if value in index.constants:
            builder.constant(index.constants[value], value)
        elif value not in {info.name for info in builder.model.graph.input}:
            builder.input(value, index.shape[value], index.dtype[value])
    for node in nodes:
        builder.keep(node)
    for value in outputs:
        builder.output(value)
    return builder.finish()


def leading_to(model: onnx.ModelProto, outputs: Iterable[str]) -> list[onnx.NodeProto]:
    """The nodes that these values need, in order."""
    wanted, nodes = set(outputs), []
    for node in reversed(model.graph.node):
        if wanted & set(node.output):
            nodes.append(node)
            wanted |= {name for name in node.input if name}
    return nodes[::-1]
