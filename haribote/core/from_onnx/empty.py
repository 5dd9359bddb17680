"""Values without elements: constants that nothing computes, and no part of what is joined or written."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx

from haribote.graph import Array, Builder, Index, complete
from haribote.passes.dead_code import remove_dead_code
from haribote.passes.fold_constants import fold_constants


def without_empty(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; values without elements are constants, inputs too where they are read, and so is what is made
    of them alone, such as their sum; Concat reads none, and a scatter of none changes nothing.
    """
    index = Index(model)
    empty = {name for name, shape in index.shape.items() if not prod(shape)}
    if not empty:
        return model
    builder = Builder.like(model)
    graph = builder.model.graph

    def nothing(name: str) -> Array:
        return np.zeros(index.shape[name], index.dtype[name])

    read = {name: builder.constant(nothing(name), f"{name}.empty") for name in index.inputs if name in empty}
    for node in model.graph.node:
        results = [name for name in node.output if name]
        if empty.issuperset(results):
            graph.initializer.extend(map(onnx.numpy_helper.from_array, map(nothing, results), results))
        elif node.op_type == "Concat":
            builder.keep(node, [name for name in node.input if name not in empty])
        elif node.op_type in ("ScatterElements", "ScatterND") and node.input[2] in empty:
            builder.op("Identity", node.input[0], name=node.output[0], reserved=True)
        else:
            builder.keep(node, [read.get(name, name) for name in node.input])
    fold_constants(builder.model, outputs=True)
    remove_dead_code(builder.model)
    return complete(builder.model)
