"""Task 1.2: the evaluator loop.

It is taught in notebooks/01_graphs/02_evaluate, section 4.
Check it with `grader check 1.2`; if you are stuck, `grader hint 1.2`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx

from haribote.errors import NotWritten
from haribote.operators.reference import Array, Compute


def run_nodes(nodes: Iterable[onnx.NodeProto], values: Mapping[str, Array], compute: Compute) -> dict[str, Array]:
    """Every value of a graph by name: the given ones, and what its nodes make of them, one after another.

    nodes: in such an order that every value is made before it is read. `node.input` are the names of what a node reads,
    `node.output` the names of what it makes. A name "" stands for something that is left out: such an input is None,
    such an output is dropped. values: the graph's inputs and constants by name; the mapping itself stays as it is.
    compute(node, arrays): the arrays of the node's outputs, given those of its inputs, both in order.
    """
    # TODO: about 7 lines.
    raise NotWritten("task 1.2 (the evaluator loop) is not written yet; check it with `grader check 1.2`")
