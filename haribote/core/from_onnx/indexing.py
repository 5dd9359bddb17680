"""What only moves elements, as Pick: the flat index in the input of every element of the output.

The index is found by letting ONNX's reference move the numbers of the elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.operators import MOVERS
from haribote.core.rewrite import Rewriter
from haribote.graph import Builder, Index, attributes, clone
from haribote.operators.functions import OPSET
from haribote.operators.reference import operators


def moved(g: Rewriter) -> str | bool:
    """Write a node that moves elements as Pick, one for each output. False for other nodes, or computed indices."""
    node = g.node
    if node.op_type == "Concat":
        return _joined(g)
    if node.op_type not in MOVERS or not g.is_known(*range(1, len(node.input))):
        return False
    for name, found in zip(node.output, _numbers(node, g.index), strict=True):
        if name:
            g.pick(node.input[0], found, name=name, fill=_fill(node, g.index))
    return True


def _fill(node: onnx.NodeProto, index: Index) -> float:
    """What a Pad puts beside the elements."""
    if node.op_type == "Pad" and len(node.input) > 2 and node.input[2]:
        return float(index.constants[node.input[2]].item())
    return 0.0


def _numbers(node: onnx.NodeProto, index: Index) -> Sequence[NDArray[np.int64]]:
    """For every output the numbers of the elements that go there, -1 where none does."""
    shape = index.shape[node.input[0]]
    numbers = np.arange(1, int(np.prod(shape)) + 1, dtype=np.int64).reshape(shape)
    copy = clone(node)
    if node.op_type == "Pad" and attributes(node).get("mode", b"constant") == b"constant":
        copy.input[:] = [*node.input[:2], "", *node.input[3:]]
    constants = [index.constants[name] if name else None for name in copy.input[1:]]
    results = _run(copy, [numbers, *constants])
    return [np.asarray(result, np.int64) - 1 for result in results]


def numbers_of(node: onnx.NodeProto, index: Index) -> NDArray[np.int64]:
    """The flat numbers, in the first input, of the elements of the first output; -1 where a Pad adds some."""
    return _numbers(node, index)[0]


def _run(node: onnx.NodeProto, arrays: Sequence[NDArray[np.generic] | None]) -> Sequence[NDArray[np.generic]]:
    """A node on arrays."""
    builder = Builder("one node")
    builder.model.opset_import.append(onnx.helper.make_opsetid("", OPSET))
    for name, array in dict(zip(node.input, arrays, strict=True)).items():
        if array is not None:
            builder.input(name, array.shape, array.dtype)
    builder.keep(node)
    return operators(builder.model)(node, arrays)


def _joined(g: Rewriter) -> str:
    """Concat, as the sum of its parts at their places among zeros."""
    shape = g.shapes[g.result]
    axis, join = g.given["axis"] % len(shape), "Add" if np.issubdtype(g.dtypes[g.result], np.number) else "Or"
    parts, start = [], 0
    for number, name in enumerate(g.node.input):
        size = g.shapes[name][axis]
        found = np.full(shape, -1, np.int64)
        where = tuple(slice(start, start + size) if k == axis else slice(None) for k in range(len(shape)))
        found[where] = np.arange(int(np.prod(g.shapes[name]))).reshape(g.shapes[name])
        parts.append(g.pick(name, found, part=f"part{number}"))
        start += size
    total, *others = parts
    for number, part in enumerate(others, 1):
        total = g.op(join, total, part, part="" if number == len(others) else f"sum{number}")
    return total if others else g.op("Identity", total)
