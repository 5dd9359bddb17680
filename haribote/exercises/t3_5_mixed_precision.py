"""Task 3.5: mixed precision.

It is taught in notebooks/03_fusion/04_layout_and_precision, section 5.
Check it with `grader check 3.5`; if you are stuck, `grader hint 3.5`.
"""

from __future__ import annotations

import onnx

from haribote.errors import NotWritten


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
    # TODO: about 12 lines.
    raise NotWritten("task 3.5 (mixed precision) is not written yet; check it with `grader check 3.5`")
