"""Task 3.5: mixed precision (products read rounded factors, each rounded once; everything else stays single)."""

from __future__ import annotations

import numpy as np
import onnx

from haribote.graph import Builder, Index
from haribote.passes.mixed_precision import FORMATS, PRODUCTS


def round_factors(model: onnx.ModelProto, short: str) -> onnx.ModelProto:
    """A whole pass: the same graph, but the products read numbers of the short format.

    A node whose op_type is in PRODUCTS, and whose first two inputs are float32, reads these two rounded; a third input
    (the bias) and every other node read what they read before. Parameters, sums and the update so stay single. The
    operator that rounds is FORMATS[short], "RoundHalf" for "half"; a value that several products read is rounded once.
    `Builder.like(model)` is a builder with the model's inputs, outputs and constants but no node. On it,
    `builder.op("RoundHalf", name, name=f"{name}.half")` adds a node and returns its result's name, `builder.keep(node)`
    adds a copy of a node, `builder.finish()` gives the verified graph. `Index(model).dtype[name]` is a value's dtype.
    `node.input[0] = name` changes what a node reads: change a copy (`copy.CopyFrom(node)`), since the model that you
    were given must stay as it is. Import FORMATS and PRODUCTS from haribote.passes.mixed_precision, Builder and Index
    from haribote.graph.
    """
    ### BEGIN SOLUTION
    builder, index = Builder.like(model), Index(model)
    rounded: dict[str, str] = {}
    for original in model.graph.node:
        node = onnx.NodeProto()
        node.CopyFrom(original)
        if node.op_type in PRODUCTS and all(index.dtype[name] == np.float32 for name in node.input[:2]):
            for position, name in enumerate(node.input[:2]):
                if name not in rounded:
                    rounded[name] = builder.op(FORMATS[short], name, name=f"{name}.{short}")
                node.input[position] = rounded[name]
        builder.keep(node)
    return builder.finish()
    ### END SOLUTION
