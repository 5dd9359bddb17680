"""Taking away what no output of a graph needs."""

from __future__ import annotations

import onnx

from haribote.graph import remove_unused_constants


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
