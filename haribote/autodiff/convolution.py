"""Gradients of convolution and pooling of images [N, channels, …], as the front end writes them too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx

from haribote.autodiff.rules import Backward, Gradients, gradient
from haribote.graph import attributes
from haribote.graphs.writer import NodeWriter
from simulator.messages import tr


@dataclass(frozen=True)
class Window:
    """How a kernel moves over an image; sizes are one for each axis, (height, width), pads those at the beginnings and
    then at the ends, (top, left, bottom, right). groups: of channels, each with kernels of its own."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1

    @property
    def attributes(self) -> dict[str, Any]:
        """As ONNX has them."""
        sizes = {"kernel_shape": self.kernel, "strides": self.strides, "pads": self.pads, "dilations": self.dilations}
        grouped = {"group": self.groups} if self.groups > 1 else {}
        return {name: list(value) for name, value in sizes.items()} | grouped

    def steps(self, image: Sequence[int]) -> list[tuple[int, int]]:
        """For each axis of an image: how often the window moves over it, and what is left over at the end, where one
        more stride would be too long."""
        rank = len(self.kernel)
        spans = [(size - 1) * dilation + 1 for size, dilation in zip(self.kernel, self.dilations, strict=True)]
        return [
            divmod(image[axis] + self.pads[axis] + self.pads[axis + rank] - spans[axis], self.strides[axis])
            for axis in range(rank)
        ]


def input_gradient(g: NodeWriter, grad: str, x: str, w: str, window: Window) -> str:
    """The gradient by x: every element of grad puts the kernel back where it came from."""
    left_over = [rest for _, rest in window.steps(g.shapes[x][2:])]
    extra: dict[str, Any] = {"output_padding": left_over} if any(left_over) else {}
    return g.op("ConvTranspose", grad, w, **window.attributes, **extra)


def weight_gradient(g: NodeWriter, grad: str, x: str, w: str, window: Window) -> str:
    """The gradient by w: x convolved with grad, where batch and channels have changed places and strides dilations."""
    rank = len(window.kernel)
    exchanged = [1, 0, *range(2, 2 + rank)]
    images = _by_channel(g, x, window.groups)
    kernel = g.op("Transpose", grad, part="kernel", perm=exchanged)
    steps = window.steps(g.shapes[x][2:])
    places = tuple(moves + 1 for moves, _ in steps)
    swapped = Window(places, window.dilations, window.pads, window.strides, window.groups)
    result = g.op("Conv", images, kernel, part="swapped", **swapped.attributes)
    if any(left_over >= dilation for (_, left_over), dilation in zip(steps, window.dilations, strict=True)):
        # It saw more offsets than the kernel has.
        ends = [g.shapes[w][1], g.shapes[w][0], *window.kernel]
        result = g.op("Slice", result, g.ints([0] * (2 + rank), "starts"), g.ints(ends, "ends"), part="cut")
    return g.op("Transpose", result, perm=exchanged)


def _by_channel(g: NodeWriter, x: str, groups: int) -> str:
    """Images [n, channels, ...] as [channels of a group, groups * n, ...]."""
    batch, channels, *sizes = g.shapes[x]
    if groups == 1:
        return g.op("Transpose", x, part="images", perm=[1, 0, *range(2, 2 + len(sizes))])
    parted = g.op("Reshape", x, g.ints([batch, groups, channels // groups, *sizes], "shape"), part="parted")
    turned = g.op("Transpose", parted, part="turned", perm=[2, 1, 0, *range(3, 3 + len(sizes))])
    return g.op("Reshape", turned, g.ints([channels // groups, groups * batch, *sizes], "shape"), part="images")


def bias_gradient(g: NodeWriter, grad: str, rank: int) -> str:
    """The gradient by the bias: the sum over images and places along `rank` axes, one number per channel."""
    return g.op("ReduceSum", grad, g.ints([0, *range(2, 2 + rank)], "axes"), keepdims=0)


@gradient("Conv")
def conv(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """By x, the weights and the bias."""
    x, w, *bias = node.input
    g.require(g.attribute("auto_pad", b"NOTSET") == b"NOTSET", tr("its pads must be explicit"))
    window = window_of(node, g.shapes[w][2:])
    yield input_gradient(g, grad, x, w, window)
    yield weight_gradient(g, grad, x, w, window)
    if bias:
        yield bias_gradient(g, grad, len(window.kernel))


@gradient("MaxPool")
def max_pool(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Each element of grad goes to the largest element that its window saw."""
    g.require(len(g.shapes[node.input[0]]) == 4, tr("only images [N, channels, height, width] are supported"))
    g.require(not g.attribute("ceil_mode", 0), tr("ceil_mode must be 0"))
    window = window_of(node, tuple(g.attribute("kernel_shape", ())))
    g.require(set(window.dilations) == {1}, tr("dilations must be 1"))
    attrs = {name: value for name, value in window.attributes.items() if name != "dilations"}
    yield g.op("MaxPoolGrad", grad, node.input[0], **attrs)


def window_of(node: onnx.NodeProto, kernel: tuple[int, ...]) -> Window:
    """The window of a Conv or MaxPool, defaults included."""
    attrs, rank = attributes(node), len(kernel)
    strides, dilations = attrs.get("strides", [1] * rank), attrs.get("dilations", [1] * rank)
    pads = attrs.get("pads", [0] * 2 * rank)
    return Window(kernel, tuple(strides), tuple(pads), tuple(dilations), attrs.get("group", 1))
