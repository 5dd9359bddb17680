"""Task 1.2: the evaluator loop (node after node, with a dictionary of the values so far)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx

from haribote.operators.reference import Array, Compute


def run_nodes(nodes: Iterable[onnx.NodeProto], values: Mapping[str, Array], compute: Compute) -> dict[str, Array]:
    """Every value of a graph by name: the given ones, and what its nodes make of them, one after another.

    nodes: in such an order that every value is made before it is read. `node.input` are the names of what a node reads,
    `node.output` the names of what it makes. A name "" stands for something that is left out: such an input is None,
    such an output is dropped. values: the graph's inputs and constants by name; the mapping itself stays as it is.
    compute(node, arrays): the arrays of the node's outputs, given those of its inputs, both in order.
    """
    ### BEGIN SOLUTION
    known = dict(values)
    for node in nodes:
        arrays = [known[name] if name else None for name in node.input]
        for name, array in zip(node.output, compute(node, arrays), strict=True):
            if name:
                known[name] = array
    return known
    ### END SOLUTION
