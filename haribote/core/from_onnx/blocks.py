"""Elements that move in blocks, and padding by a value that is computed.

Pad(x, computed) ->  Where(inside, x among zeros, computed)
"""

from __future__ import annotations

from haribote.core.from_onnx.indexing import numbers_of
from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter


@rule("DepthToSpace", "SpaceToDepth")
def blocks(g: Rewriter) -> str | bool:
    """DepthToSpace and SpaceToDepth: axes split, turned and joined."""
    size, (count, channels, height, width) = g.given["blocksize"], g.shapes[g.node.input[0]]
    if g.node.op_type == "SpaceToDepth":
        split, order = (count, channels, height // size, size, width // size, size), [0, 3, 5, 1, 2, 4]
    elif g.given.get("mode", b"DCR") == b"DCR":
        split, order = (count, size, size, channels // size**2, height, width), [0, 3, 4, 1, 5, 2]
    else:
        split, order = (count, channels // size**2, size, size, height, width), [0, 1, 4, 2, 5, 3]
    turned = g.op("Transpose", g.shaped(g.node.input[0], split, part="parts"), part="turned", perm=order)
    return g.shaped(turned, g.shapes[g.result])


@rule("Pad")
def pad(g: Rewriter) -> str | bool:
    """Pad with a value that is computed: chosen where the padding is."""
    value = g.input(2)
    if not value or value in g.index.constants:
        return False
    numbers = numbers_of(g.node, g.index)
    inner = g.pick(g.node.input[0], numbers, part="inner")
    return g.op("Where", g.constant(numbers >= 0, "there"), inner, value)
