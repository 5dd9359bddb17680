"""Greater(x, 0) followed by Cast becomes `haribote.GreaterCast`, since one kernel does both."""

from __future__ import annotations

import numpy as np
import onnx

from haribote.graph import Builder, Index, attributes, remove_unused_constants


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """Replace every Greater(x, 0) whose only reader is a Cast to float by one GreaterCast."""
    index, builder = Index(model), Builder.like(model)
    absorbed: set[str] = set()
    for node in model.graph.node:
        cast = _only_cast(node, index)
        if cast is not None:
            builder.op("GreaterCast", node.input[0], name=cast.output[0], reserved=True)
            absorbed.add(cast.name)
        elif node.name not in absorbed:
            builder.keep(node)
    remove_unused_constants(builder.model.graph)
    return builder.finish()


def _only_cast(node: onnx.NodeProto, index: Index) -> onnx.NodeProto | None:
    """The Cast to float that alone reads Greater(x, 0), or None."""
    if node.op_type != "Greater" or node.output[0] in index.outputs:
        return None
    bound, readers = index.constants.get(node.input[1]), index.consumers[node.output[0]]
    if bound is None or np.any(bound != 0) or len(readers) != 1 or readers[0].op_type != "Cast":
        return None
    return readers[0] if attributes(readers[0])["to"] == onnx.TensorProto.FLOAT else None
