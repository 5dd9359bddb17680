"""Elements that move in blocks, and padding by a value that is computed.

Pad(x, computed) ->  Where(inside, x among zeros, computed)
"""

from __future__ import annotations

import numpy as np
import onnx

from haribote.core.from_onnx.indexing import numbers_of, pick
from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes


@rule("DepthToSpace", "SpaceToDepth")
def blocks(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """DepthToSpace and SpaceToDepth: axes split, turned and joined."""
    given, result = attributes(node), node.output[0]
    size, (count, channels, height, width) = given["blocksize"], index.shape[node.input[0]]
    if node.op_type == "SpaceToDepth":
        split, order = (count, channels, height // size, size, width // size, size), [0, 3, 5, 1, 2, 4]
    elif given.get("mode", b"DCR") == b"DCR":
        split, order = (count, size, size, channels // size**2, height, width), [0, 3, 4, 1, 5, 2]
    else:
        split, order = (count, channels // size**2, size, size, height, width), [0, 1, 4, 2, 5, 3]
    parts = builder.constant(np.array(split), f"{result}.split")
    turned = builder.op("Reshape", node.input[0], parts, name=f"{result}.parts")
    turned = builder.op("Transpose", turned, name=f"{result}.turned", perm=order)
    whole = builder.constant(np.array(index.shape[result]), f"{result}.shape")
    builder.op("Reshape", turned, whole, name=result, reserved=True)
    return True


@rule("Pad")
def pad(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """Pad with a value that is computed: chosen where the padding is."""
    if len(node.input) < 3 or not node.input[2] or node.input[2] in index.constants:
        return False
    x, result = node.input[0], node.output[0]
    numbers = numbers_of(node, index)
    name = builder.fresh(f"{result}.inner")
    pick(builder, x, numbers, name)
    there = builder.constant(numbers >= 0, f"{result}.there")
    builder.op("Where", there, name, node.input[2], name=result, reserved=True)
    return True
