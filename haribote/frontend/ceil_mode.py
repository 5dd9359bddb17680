"""Pools with ceil_mode, which rounds the number of windows up, as pools with the padding that gives as many.

ONNX's shape inference counts a window that begins behind the image and the padding before it; its operators do not:

    windows = min(ceil((padded - window) / stride), (image + padding before - 1) // stride) + 1
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from onnx import helper

from haribote.graph import Index, attributes, inferred

POOLS = ("MaxPool", "AveragePool")


def without_ceil_mode(model: onnx.ModelProto) -> None:
    """Give every pool with ceil_mode the padding that gives as many windows. In place.

    An average that counts its padding keeps ceil_mode where windows reach further: that part is not counted.
    """
    for node in model.graph.node:
        if node.op_type not in POOLS or not attributes(node).get("ceil_mode", 0):
            continue
        del model.graph.value_info[:]
        shapes = Index(inferred(model, data_prop=True)).shape
        if node.input[0] in shapes:
            _pad(node, shapes[node.input[0]][2:])
    del model.graph.value_info[:]


def _pad(node: onnx.NodeProto, image: Sequence[int]) -> None:
    """The same node without ceil_mode. image: its places."""
    given, kernel = attributes(node), attributes(node)["kernel_shape"]
    rank = len(kernel)
    if given.get("auto_pad", b"NOTSET") != b"NOTSET":
        return  # then ceil_mode changes nothing
    strides, dilations = (given.get(name, [1] * rank) for name in ("strides", "dilations"))
    pads = list(given.get("pads", [0] * 2 * rank))
    if not len(image) == len(strides) == len(dilations) == rank == len(pads) / 2 or min(strides, default=0) < 1:
        return  # such a node fits nothing, which is said where the whole graph is looked at
    windows = [(k - 1) * dilation + 1 for k, dilation in zip(kernel, dilations, strict=True)]
    after = list(map(_after, image, windows, strides, pads[:rank], pads[rank:]))
    further = any(new > old for new, old in zip(after, pads[rank:], strict=True))
    if further and given.get("count_include_pad", 0):
        return
    kept = [attribute for attribute in node.attribute if attribute.name not in ("ceil_mode", "pads")]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute("pads", [*pads[:rank], *after])])


def _after(size: int, window: int, stride: int, before: int, after: int) -> int:
    """The padding behind an axis with which as many windows fit; where they end inside the image, 0."""
    more = -(-(size + before + after - window) // stride)
    last = min(more, (size + before - 1) // stride) * stride
    return max(last + window - size - before, 0)
