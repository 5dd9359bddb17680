"""Dead code: what no output of the graph needs."""

from __future__ import annotations

import onnx

from haribote.graph import clone, complete, remove_unused_constants


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without nodes and constants that no output needs."""
    model = clone(model)
    remove_dead_code(model)
    return complete(model)


def remove_dead_code(model: onnx.ModelProto) -> None:
    """Remove nodes and constants that no output needs. Inputs stay: they are the caller's. In place."""
    graph = model.graph
    needed = {info.name for info in graph.output}
    for node in reversed(list(graph.node)):
        if needed & set(node.output):
            needed.update(node.input)
        else:
            graph.node.remove(node)
    remove_unused_constants(graph)
