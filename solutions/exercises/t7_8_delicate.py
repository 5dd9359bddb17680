"""Task 7.8: where half is allowed (not where an error of the product becomes an error of an exponent)."""

from __future__ import annotations

import onnx

from haribote.graph import Index, updates
from haribote.stack.planner.precision import PRODUCTS, hands_on


def delicate(model: onnx.ModelProto) -> frozenset[str]:
    """The names of the products that must stay exact: their result reaches a delicate place without being averaged.

    A product is a node whose op_type is in PRODUCTS. A place is delicate if it is what an Exp or a Log reads, or an
    output of the graph that is no new value of a parameter (`Index(model).outputs` are all outputs,
    `updates(model).values()` the new values). The result of a product reaches such a place if it is read there, or by a
    node with `hands_on(node, index)` (one that only adds, or scales by a constant) whose result reaches one. Nodes are
    in an order in which every value is made before it is read. Import PRODUCTS and hands_on from
    haribote.stack.planner.precision, Index and updates from haribote.graph. A node's name is `node.name`, what it reads
    is in `node.input`, and it makes `node.output`, which may be several values.
    """
    ### BEGIN SOLUTION
    index = Index(model)
    seen = set(index.outputs) - set(updates(model).values())
    found = set()
    for node in reversed(model.graph.node):
        reaches = bool(seen & set(node.output))
        if node.op_type in ("Exp", "Log") or (reaches and hands_on(node, index)):
            seen.update(node.input)
        if reaches and node.op_type in PRODUCTS:
            found.add(node.name)
    return frozenset(found)
    ### END SOLUTION
