"""Running sums: a product with a triangle of ones; of integers, sums of sums."""

from __future__ import annotations

from math import prod

import numpy as np
import onnx

from haribote.core.from_onnx.indexing import pick
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("CumSum")
def running_sum(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """CumSum along an axis that is known: a product with a triangle of ones; of integers, sums of sums."""
    x, given = node.input[0], attributes(node)
    if node.input[1] not in index.constants:
        return False
    rank = len(index.shape[x])
    axis = int(index.constants[node.input[1]].item()) % rank
    if index.dtype[x] != np.float32:
        _doubled(builder, index, node, axis)
        return True
    size = index.shape[x][axis]
    ones = np.tri(size, k=-1 if given.get("exclusive", 0) else 0, dtype=np.float32)
    if given.get("reverse", 0):
        ones = np.ascontiguousarray(ones.T)
    letters = "abcdefgh"[:rank]
    after = letters.replace(letters[axis], "z")
    triangle = builder.constant(ones, f"{node.output[0]}.triangle")
    equation = f"{letters},z{letters[axis]}->{after}"
    builder.op("Einsum", x, triangle, name=node.output[0], reserved=True, equation=equation)
    return True


def _doubled(builder: Builder, index: Index, node: onnx.NodeProto, axis: int) -> None:
    """Every element plus the one 1 before it, then 2, 4, … before it: there are no products of integers."""
    value, given, result = node.input[0], attributes(node), node.output[0]
    shape = index.shape[value]

    def before(name: str, distance: int) -> str:
        along = np.arange(shape[axis]) + (distance if given.get("reverse", 0) else -distance)
        places = np.arange(prod(shape)).reshape(shape).take(along, axis, mode="clip")
        there = ((along >= 0) & (along < shape[axis])).reshape([-1 if k == axis else 1 for k in range(len(shape))])
        found = builder.fresh(f"{result}.before_{distance}")
        pick(builder, name, np.where(there, places, -1), found)
        return found

    if given.get("exclusive", 0):
        value = before(value, 1)
    distance = 1
    while distance < shape[axis]:
        value = builder.op("Add", value, before(value, distance), name=f"{result}.sum_{distance}")
        distance *= 2
    builder.op("Identity", value, name=result, reserved=True)
