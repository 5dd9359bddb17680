"""Values without elements: constants that nothing computes, and no part of what is joined."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx

from haribote.graph import Builder, Index, complete
from haribote.passes.dead_code import remove_dead_code


def without_empty(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; values without elements are constants, and Concat reads none."""
    index = Index(model)
    empty = {name for name, shape in index.shape.items() if not prod(shape)}
    if not empty:
        return model
    builder = Builder.like(model)
    graph = builder.model.graph
    for node in model.graph.node:
        results = [name for name in node.output if name]
        if empty.issuperset(results):
            values = (np.zeros(index.shape[name], index.dtype[name]) for name in results)
            graph.initializer.extend(map(onnx.numpy_helper.from_array, values, results))
        elif node.op_type == "Concat":
            builder.keep(node, [name for name in node.input if name not in empty])
        else:
            builder.keep(node)
    remove_dead_code(builder.model)
    return complete(builder.model)
