"""Constant folding: what depends on constants only is computed once, by the compiler."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import RuntimeContextError

from haribote.graph import Index, clone, complete
from haribote.passes.dead_code import remove_dead_code

RANDOM = ("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial")
"""Operators that give other numbers each time, whatever they are given."""


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without nodes whose inputs are all constants, and without the constants that only those read."""
    model = clone(model)
    fold_constants(model)
    remove_dead_code(model)
    return complete(model)


def fold_constants(model: onnx.ModelProto, outputs: bool = False) -> None:
    """Compute every node whose inputs are all constants. In place. outputs: also those that give the graph's outputs,
    which then are constants.
    """
    graph = model.graph
    constants, kept = Index(model).constants, set() if outputs else {info.name for info in graph.output}
    for node in list(graph.node):
        if kept & set(node.output) or not _is_known(node, constants):
            continue
        try:
            results = ReferenceEvaluator(node).run(None, {name: constants[name] for name in node.input if name})
        except RuntimeContextError:  # an operator whose body ONNX writes for types that a single node does not say
            continue
        for name, value in zip(node.output, results, strict=True):
            constants[name] = np.asarray(value)
            graph.initializer.append(numpy_helper.from_array(constants[name], name))
        graph.node.remove(node)


def _is_known(node: onnx.NodeProto, constants: Container[str]) -> bool:
    """True for a node of ONNX's own, without chance or a graph inside, all of whose inputs are constants."""
    if node.op_type in RANDOM:
        return False
    graphs = any(attribute.HasField("g") for attribute in node.attribute)
    return node.domain == "" and not graphs and all(not name or name in constants for name in node.input)
