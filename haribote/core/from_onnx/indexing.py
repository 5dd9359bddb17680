"""What only moves elements, as Pick: the flat index in the input of every element of the output.

The index is found by letting ONNX's reference move the numbers of the elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.operators import MOVERS
from haribote.graph import Builder, Index, attributes
from haribote.operators.reference import operators


def moved(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Write a node that moves elements as Pick, one for each output. False for other nodes, or computed indices."""
    if node.op_type == "Concat":
        return _joined(builder, index, node)
    if node.op_type not in MOVERS or not all(name in index.constants for name in node.input[1:] if name):
        return False
    fill = _fill(node, index)
    for name, found in zip(node.output, _numbers(node, index), strict=True):
        if name:
            pick(builder, node.input[0], found, name, fill)
    return True


def pick(builder: Builder, source: str, found: NDArray[np.int64], name: str, fill: float = 0.0) -> None:
    """Add a Pick with a constant index."""
    index = builder.constant(found, f"{name}.index")
    builder.op("Pick", source, index, name=name, reserved=True, fill=fill)


def _fill(node: onnx.NodeProto, index: Index) -> float:
    """What a Pad puts beside the elements."""
    if node.op_type == "Pad" and len(node.input) > 2 and node.input[2]:
        return float(index.constants[node.input[2]].item())
    return 0.0


def _numbers(node: onnx.NodeProto, index: Index) -> Sequence[NDArray[np.int64]]:
    """For every output the numbers of the elements that go there, -1 where none does."""
    shape = index.shape[node.input[0]]
    numbers = np.arange(1, int(np.prod(shape)) + 1, dtype=np.int64).reshape(shape)
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
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
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            [node],
            "g",
            [
                onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in dict(zip(node.input, arrays, strict=True)).items()
                if array is not None
            ],
            [onnx.helper.make_empty_tensor_value_info(name) for name in node.output],
        ),
        opset_imports=[onnx.helper.make_opsetid("", 20)],
    )
    return operators(model)(node, list(arrays))


def _joined(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Concat, as the sum of its parts at their places among zeros."""
    shape, axis = index.shape[node.output[0]], attributes(node)["axis"] % len(index.shape[node.output[0]])
    join = "Add" if np.issubdtype(index.dtype[node.output[0]], np.number) else "Or"
    parts, start = [], 0
    for number, name in enumerate(node.input):
        size = index.shape[name][axis]
        found = np.full(shape, -1, np.int64)
        where = tuple(slice(start, start + size) if k == axis else slice(None) for k in range(len(shape)))
        found[where] = np.arange(int(np.prod(index.shape[name]))).reshape(index.shape[name])
        parts.append(builder.fresh(f"{node.output[0]}.part{number}"))
        pick(builder, name, found, parts[-1])
        start += size
    total = parts[0]
    for number, part in enumerate(parts[1:], 1):
        last = number == len(parts) - 1
        name = node.output[0] if last else f"{node.output[0]}.sum{number}"
        total = builder.op(join, total, part, name=name, reserved=last)
    if len(parts) == 1:
        builder.op("Identity", total, name=node.output[0], reserved=True)
    return True
