"""Constant folding: what depends on constants only is computed once, by the compiler."""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.reference.op_run import RuntimeContextError

from haribote.errors import GraphError
from haribote.graph import Index, clone, complete, inferred, tensor_info
from haribote.model_file import EXPORTED, reason, within_limits
from haribote.operators.mended import evaluator
from haribote.passes.dead_code import remove_dead_code
from simulator.messages import tr

Array = NDArray[Any]
FEW = 64
"""Elements of a constant that may be the shape of something."""
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
        _check_results(model, node, constants)
        try:
            results = evaluator(node).run(None, {name: constants[name] for name in node.input if name})
            found = {name: np.asarray(value) for name, value in zip(node.output, results, strict=True)}
            tensors = [numpy_helper.from_array(value, name) for name, value in found.items()]
        except RuntimeContextError:  # an operator whose body ONNX writes for types that a single node does not say
            continue
        except Exception as error:  # its reference raises whatever comes up
            where = tr("node {name!r} ({op_type})", node.name or node.output[0], node.op_type)
            raise GraphError(
                tr("{where}: it cannot be computed from its constants: {error}", where, reason(error)), EXPORTED
            ) from error
        constants.update(found)
        graph.initializer.extend(tensors)
        graph.node.remove(node)


def _check_results(model: onnx.ModelProto, node: onnx.NodeProto, constants: Mapping[str, Array]) -> None:
    """Raises GraphError where what a node gives is larger than any value may be, before it is computed: a few numbers
    are enough to ask ConstantOfShape, Expand, Tile or Range for any size.
    """
    graph = onnx.GraphProto(name="one", node=[node])
    for name in filter(None, dict.fromkeys(node.input)):
        value = constants[name]
        if value.size <= FEW:  # it may be a shape
            graph.initializer.append(numpy_helper.from_array(value, name))
        else:
            graph.input.append(tensor_info(name, value.shape, value.dtype))
    graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in node.output)
    asked = onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    with suppress(GraphError):  # a node that does not fit together is told of where the whole graph is looked at
        asked = inferred(asked, data_prop=True)
    within_limits(asked)


def _is_known(node: onnx.NodeProto, constants: Container[str]) -> bool:
    """True for a node of ONNX's own, without chance or a graph inside, all of whose inputs are constants."""
    if node.op_type in RANDOM:
        return False
    graphs = any(attribute.HasField("g") for attribute in node.attribute)
    return node.domain == "" and not graphs and all(not name or name in constants for name in node.input)
