"""Rules of convolution and pooling."""

from __future__ import annotations

from collections.abc import Sequence

from haribote.cpp.rules import Node, Template, rule, sizes


@rule("Conv", "ConvTranspose")
def _conv(node: Node) -> Template:
    name = {"Conv": "conv", "ConvTranspose": "conv_transpose"}[node.node.op_type]
    window = _window(node, node.shapes[1][2:])
    return Template(f"{name}<{node.gemm}, {window}, {node.attribute('group', 1)}>", node.inputs)


@rule("MaxPool", "MaxPoolGrad")
def _max_pool(node: Node) -> Template:
    node.require(node.attribute("storage_order", 0) == 0, "storage_order must be 0")
    name = {"MaxPool": "max_pool", "MaxPoolGrad": "max_pool_grad"}[node.node.op_type]
    kernel = node.attribute("kernel_shape", ())
    _require_narrow_pads(node, kernel)
    return Template(f"{name}<{_window(node, kernel)}>", node.inputs)


@rule("AveragePool")
def _average_pool(node: Node) -> Template:
    padding = bool(node.attribute("count_include_pad", 0))
    node.require(not (padding and node.attribute("ceil_mode", 0)), "ceil_mode and count_include_pad exclude each other")
    kernel = node.attribute("kernel_shape", ())
    _require_narrow_pads(node, kernel)
    return Template(f"average_pool<{_window(node, kernel)}, {str(padding).lower()}>", node.inputs)


def _require_narrow_pads(node: Node, kernel: Sequence[int]) -> None:
    pads = node.attribute("pads", ())
    narrow = all(pad < size for pad, size in zip(pads, [*kernel, *kernel], strict=False))
    node.require(narrow, "every window must see a part of the image")


_WINDOW = (("strides", (1, 1)), ("pads", (0, 0, 0, 0)), ("dilations", (1, 1)))


def _window(node: Node, kernel: Sequence[int]) -> str:
    """The window of a node as a C++ type."""
    node.require(len(node.shapes[0]) == 4, "it must have images [N, channels, height, width]")
    strides, pads, dilations = (list(node.attribute(name, default)) for name, default in _WINDOW)
    kind = node.attribute("auto_pad", "NOTSET")
    if kind.startswith("SAME"):
        node.require(node.node.op_type != "ConvTranspose", "auto_pad must be NOTSET or VALID")
        pads = _same_pads(node, kernel, strides, dilations, kind == "SAME_LOWER")
    elif kind == "VALID":
        pads = [0] * 4
    return f"op::Window<{', '.join(map(sizes, (kernel, strides, pads, dilations)))}>"


def _same_pads(
    node: Node, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int], lower: bool
) -> list[int]:
    """The pads that `auto_pad` stands for: half of what the windows need, the odd one below or above."""
    begins, ends = [], []
    for axis in range(2):
        extent = (node.output_shape[2 + axis] - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1
        needed = max(extent - node.shapes[0][2 + axis], 0)
        begins.append((needed + lower) // 2)
        ends.append(needed - begins[-1])
    return [*begins, *ends]
