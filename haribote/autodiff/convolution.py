"""Gradients of convolution and pooling of images [N, channels, height, width], as the front end writes them too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import onnx

from haribote.autodiff.rules import Backward, Gradients, gradient
from haribote.graph import attributes
from haribote.graphs.writer import NodeWriter

STRIDE_1 = "ONNX's reference evaluator cannot say where the maxima are if both strides are 1"


@dataclass(frozen=True)
class Window:
    """How a kernel moves over an image; sizes are (height, width), pads (top, left, bottom, right)."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    pads: tuple[int, ...]
    dilations: tuple[int, ...]

    @property
    def attributes(self) -> dict[str, Any]:
        """As ONNX has them."""
        sizes = {"kernel_shape": self.kernel, "strides": self.strides, "pads": self.pads, "dilations": self.dilations}
        return {name: list(value) for name, value in sizes.items()}

    def steps(self, axis: int, size: int) -> tuple[int, int]:
        """How often the window moves over an image of so many rows (axis 0) or columns (axis 1), and what is left over
        at the end since one more stride would be too long."""
        span = (self.kernel[axis] - 1) * self.dilations[axis] + 1
        return divmod(size + self.pads[axis] + self.pads[axis + 2] - span, self.strides[axis])


def input_gradient(g: NodeWriter, grad: str, x: str, w: str, window: Window) -> str:
    """The gradient by x: every element of grad puts the kernel back where it came from."""
    left_over = [window.steps(axis, g.shapes[x][axis + 2])[1] for axis in (0, 1)]
    extra: dict[str, Any] = {"output_padding": left_over} if any(left_over) else {}
    return g.op("ConvTranspose", grad, w, **window.attributes, **extra)


def weight_gradient(g: NodeWriter, grad: str, x: str, w: str, window: Window) -> str:
    """The gradient by w: x convolved with grad, where batch and channels have changed places and strides dilations."""
    images = g.op("Transpose", x, part="images", perm=[1, 0, 2, 3])
    kernel = g.op("Transpose", grad, part="kernel", perm=[1, 0, 2, 3])
    steps = [window.steps(axis, g.shapes[x][axis + 2]) for axis in (0, 1)]
    places = tuple(moves + 1 for moves, _ in steps)
    swapped = Window(places, window.dilations, window.pads, window.strides)
    result = g.op("Conv", images, kernel, part="swapped", **swapped.attributes)
    if any(left_over >= dilation for (_, left_over), dilation in zip(steps, window.dilations, strict=True)):
        # It saw more offsets than the kernel has.
        ends = [g.shapes[x][1], g.shapes[w][0], *window.kernel]
        result = g.op("Slice", result, g.ints([0] * 4, "starts"), g.ints(ends, "ends"), part="cut")
    return g.op("Transpose", result, perm=[1, 0, 2, 3])


def bias_gradient(g: NodeWriter, grad: str) -> str:
    """The gradient by the bias: the sum over images and places, one number per channel."""
    return g.op("ReduceSum", grad, g.ints([0, 2, 3], "axes"), keepdims=0)


@gradient("Conv")
def conv(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """By x, the weights and the bias."""
    x, w, *bias = node.input
    g.require(len(g.shapes[x]) == 4, "only images [N, channels, height, width] are supported")
    g.require(g.attribute("group", 1) == 1, "only group=1 is supported")
    g.require(g.attribute("auto_pad", b"NOTSET") == b"NOTSET", "its pads must be explicit")
    window = window_of(node, g.shapes[w][2:])
    yield input_gradient(g, grad, x, w, window)
    yield weight_gradient(g, grad, x, w, window)
    if bias:
        yield bias_gradient(g, grad)


@gradient("MaxPool")
def max_pool(g: Backward, node: onnx.NodeProto, grad: str) -> Gradients:
    """Each element of grad goes to the largest element that its window saw."""
    g.require(len(g.shapes[node.input[0]]) == 4, "only images [N, channels, height, width] are supported")
    g.require(not g.attribute("ceil_mode", 0), "ceil_mode must be 0")
    window = window_of(node, tuple(g.attribute("kernel_shape", ())))
    g.require(set(window.dilations) == {1}, "dilations must be 1")
    g.require(max(window.strides) > 1, STRIDE_1)
    attrs = {name: value for name, value in window.attributes.items() if name != "dilations"}
    yield g.op("MaxPoolGrad", grad, node.input[0], **attrs)


def window_of(node: onnx.NodeProto, kernel: tuple[int, ...]) -> Window:
    """The window of a Conv or MaxPool, defaults included."""
    attrs = attributes(node)
    strides, dilations = attrs.get("strides", [1, 1]), attrs.get("dilations", [1, 1])
    return Window(kernel, tuple(strides), tuple(attrs.get("pads", [0] * 4)), tuple(dilations))
