"""Sorting, as comparisons of every element with every other along an axis.

TopK(x)  ->  an element's rank is how many come before it; each place takes the element of that rank
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.from_onnx.reductions import reduce
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("TopK")
def top_k(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """TopK; equal elements come in the order of their indices."""
    x, given, shape = node.input[0], attributes(node), index.shape[node.input[0]]
    tag = next(name for name in node.output if name)
    axis, rank = given.get("axis", -1) % len(shape), len(shape) + 1
    size, count = shape[axis], index.shape[tag][axis]

    def op(op_type: str, *names: str, part: str) -> str:
        return builder.op(op_type, *names, name=f"{tag}.{part}")

    def along(length: int, at: int) -> NDArray[np.int32]:
        return np.arange(length, dtype=np.int32).reshape([-1 if k == at else 1 for k in range(rank)])

    first, second = (builder.constant(np.array([k], np.int64), f"axes_{k}") for k in (axis, axis + 1))
    other, own = op("Unsqueeze", x, second, part="other"), op("Unsqueeze", x, first, part="own")
    earlier = builder.constant(along(size, axis) < along(size, axis + 1), f"{tag}.earlier")
    ahead = op("Greater" if given.get("largest", 1) else "Less", other, own, part="ahead")
    tie = op("And", op("Equal", other, own, part="level"), earlier, part="tie")
    before = builder.op("Cast", op("Or", ahead, tie, part="before"), name=f"{tag}.one", to=onnx.TensorProto.INT32)
    ranks = reduce(builder, "ReduceSum", before, [axis], f"{tag}.rank")
    places = builder.constant(along(count, axis), f"{tag}.places")
    here = op("Equal", op("Unsqueeze", ranks, first, part="ranks"), places, part="here")
    numbers = builder.constant(along(size, axis + 1).astype(np.int64), f"{tag}.numbers")
    for name, what in zip(node.output, (own, numbers), strict=False):
        if name:
            zero = builder.scalar(0, index.dtype[name])
            chosen = builder.op("Where", here, what, zero, name=f"{name}.chosen")
            reduce(builder, "ReduceSum", chosen, [axis + 1], name, reserved=True)
    return True
