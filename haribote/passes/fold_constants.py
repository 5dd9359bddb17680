"""Constant folding: what depends on constants only is computed once, by the compiler."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from haribote.graph import Index, clone, complete
from haribote.passes.dead_code import remove_dead_code


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without nodes whose inputs are all constants, and without the constants that only those read."""
    model = clone(model)
    fold_constants(model)
    remove_dead_code(model)
    return complete(model)


def fold_constants(model: onnx.ModelProto) -> None:
    """Compute every node whose inputs are all constants. In place."""
    graph = model.graph
    constants, outputs = Index(model).constants, {info.name for info in graph.output}
    for node in list(graph.node):
        if node.domain == "" and all(name in constants for name in node.input) and not outputs & set(node.output):
            results = ReferenceEvaluator(node).run(None, {name: constants[name] for name in node.input})
            for name, value in zip(node.output, results, strict=True):
                constants[name] = np.asarray(value)
                graph.initializer.append(numpy_helper.from_array(constants[name], name))
            graph.node.remove(node)
