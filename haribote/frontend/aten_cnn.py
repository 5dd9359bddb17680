"""The lowering rules of convolutional networks; see `haribote.frontend.aten`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import torch
from onnx import helper
from torch import Tensor, fx

from haribote.autodiff.convolution import Window, bias_gradient, input_gradient, weight_gradient
from haribote.frontend.aten import Lowering, aten, rule
from simulator.messages import tr


@rule(aten.convolution.default)
def _convolution(
    g: Lowering,
    x: str,
    w: str,
    bias: str | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> str:
    window, more = _window(g, w, stride, padding, dilation, groups), [] if bias is None else [bias]
    if not transposed:
        return g.op("Conv", x, w, *more, **window.attributes)
    extra: dict[str, Any] = {"output_padding": list(output_padding)} if any(output_padding) else {}
    return g.op("ConvTranspose", x, w, *more, **window.attributes, **extra)


@rule(aten.convolution_backward.default)
def _convolution_backward(
    g: Lowering,
    grad: str,
    x: str,
    w: str,
    bias_sizes: list[int] | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
    wanted: list[bool],
) -> tuple[str | None, ...]:
    """The gradients of x, w and the bias, those that are wanted."""
    window, base = _window(g, w, stride, padding, dilation, groups), g.result
    whole = grad
    if transposed:
        grad, window = _seen_by_all(g, grad, window, output_padding)
    gradients: list[str | None] = []
    for position, part in enumerate(("input", "weight", "bias")):
        g.result = g.results.get(position, f"{base}.{part}")
        if not wanted[position]:
            gradients.append(None)
        elif part == "input" and transposed:  # whose adjoint is the convolution itself
            gradients.append(g.op("Conv", grad, w, **window.attributes))
        elif part == "input":
            gradients.append(input_gradient(g, grad, x, w, window))
        elif part == "weight":
            image, result = (grad, x) if transposed else (x, grad)
            gradients.append(weight_gradient(g, result, image, w, window))
        else:
            gradients.append(bias_gradient(g, whole, len(window.kernel)))
    return tuple(gradients)


def _seen_by_all(g: Lowering, grad: str, window: Window, more: list[int]) -> tuple[str, Window]:
    """The gradient of a transposed convolution, and the window whose convolution of it has as many places as the
    convolution's input: `more` elements at the end of an axis were made by windows that hang over, or by none.
    """
    rank = len(window.kernel)
    more = [*more] * (rank // len(more))
    begins, ends = window.pads[:rank], window.pads[rank:]
    by_none = [max(extra - pad, 0) for extra, pad in zip(more, ends, strict=True)]
    if any(by_none):
        sizes = [size - extra for size, extra in zip(g.shapes[grad][2:], by_none, strict=True)]
        axes = g.ints([*range(2, 2 + rank)], "axes")
        seen = g.op("Slice", grad, g.ints([0] * rank, "starts"), g.ints(sizes, "ends"), axes, part="seen")
        g.shapes[seen] = (*g.shapes[grad][:2], *sizes)
        grad = seen
    pads = tuple(max(pad - extra, 0) for extra, pad in zip(more, ends, strict=True))
    return grad, replace(window, pads=(*begins, *pads))


def _window(g: Lowering, w: str, stride: list[int], padding: list[int], dilation: list[int], groups: int) -> Window:
    rank = len(g.shapes[w]) - 2
    strides, pads, dilations = (tuple(given) * (rank // len(given)) for given in (stride, padding, dilation))
    return Window(g.shapes[w][2:], strides, pads * 2, dilations, groups)


@rule(aten.max_pool2d_with_indices.default, aten.max_pool3d_with_indices.default)
def _max_pool(
    g: Lowering,
    x: str,
    kernel: list[int],
    stride: list[int] | None = None,
    padding: list[int] | None = None,
    dilation: list[int] | None = None,
    ceil_mode: bool = False,
) -> tuple[str, str | None]:
    """The maxima, and where they are: the number of the place in its image, where that has a reader."""
    rank = 3 if g.node.target is aten.max_pool3d_with_indices.default else 2
    attributes = _pool(kernel, stride, padding, dilation, rank)
    shape, base, out = g.shapes[x], g.result, g.shape
    if ceil_mode:
        _widen(attributes, shape[-rank:], out[-rank:])
    batched = len(shape) == rank + 2
    if not batched:
        x = g.shaped(x, [1, *shape], part="batched")
    placed = any(user.args[1] == 1 and _is_read(user) for user in g.node.users)
    g.result = g.results.get(0, base)
    if not placed:
        most = g.op("MaxPool", x, part="" if batched else "pooled", **attributes)
        return (most if batched else g.shaped(most, out)), None
    names = [g.builder.fresh(f"{base}.{part}") for part in ("maxima", "numbers")]
    g.builder.keep(helper.make_node("MaxPool", [x], names, names[0], **attributes))
    found = g.shaped(names[0], out)
    g.result = g.results.get(1, f"{base}.1")
    size = g.builder.constant(np.array(prod(shape[-rank:]), np.int64), f"{base}.size")  # ONNX numbers all images as one
    inside = g.op("Mod", names[1], size, part="inside")
    return found, g.shaped(inside, out)


def _is_read(places: fx.Node) -> bool:
    """Whether an operation reads where the maxima are. The gradient of the pool, its rule below, finds them again."""
    return any(user.target is not aten.max_pool2d_with_indices_backward.default for user in places.users)


@torch.library.custom_op("haribote::max_pool_backward", mutates_args=())
def max_pool_backward(
    grad: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int], dilation: list[int], ceil: bool
) -> Tensor:
    """The gradient of a maximum over windows, which finds the maxima again: no indices cross from the forward graph."""
    places = aten.max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil)[1]
    found: Tensor = aten.max_pool2d_with_indices_backward(grad, x, kernel, stride, padding, dilation, ceil, places)
    return found


@max_pool_backward.register_fake
def _shape_of_max_pool_backward(grad: Tensor, x: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(x)


@rule(aten.max_pool2d_with_indices_backward.default, torch.ops.haribote.max_pool_backward.default)
def _max_pool_backward(
    g: Lowering,
    grad: str,
    x: str,
    kernel: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    indices: str | None = None,
) -> str:
    g.require(not ceil_mode, tr("only MaxPool2d with ceil_mode=False is supported"))
    g.require(all(step == 1 for step in dilation or [1]), tr("only MaxPool2d with dilation=1 is supported"))
    return g.op("MaxPoolGrad", grad, x, **_pool(kernel, stride, padding, dilation))


@rule(aten.avg_pool2d.default)
def _avg_pool(
    g: Lowering,
    x: str,
    kernel: list[int],
    stride: list[int] | None = None,
    padding: list[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor: int | None = None,
) -> str:
    g.require(len(g.shapes[x]) == 4 and divisor is None, tr("only images, averaged over their windows, are supported"))
    g.require(not ceil_mode, tr("only averages with ceil_mode=False are supported"))
    attributes = _pool(kernel, stride, padding, None)
    return g.op("AveragePool", x, **attributes, count_include_pad=int(count_include_pad))


def _pool(
    kernel: list[int],
    stride: list[int] | None,
    padding: list[int] | None,
    dilation: list[int] | None,
    rank: int = 2,
) -> dict[str, Any]:
    """The attributes of a pool. PyTorch gives one number where all axes have the same."""
    given = {"kernel_shape": _each(kernel, rank), "strides": _each(stride or kernel, rank)}
    found: dict[str, Any] = {**given, "pads": _each(padding or [0], rank) * 2}
    if any(step != 1 for step in dilation or [1]):
        found["dilations"] = _each(dilation or [1], rank)
    return found


def _widen(attributes: dict[str, Any], image: Sequence[int], windows: Sequence[int]) -> None:
    """Padding behind the image for as many windows as `ceil_mode` makes of it. In place."""
    rank = len(image)
    spans = zip(attributes["kernel_shape"], attributes.get("dilations", [1] * rank), strict=True)
    reach = [(kernel - 1) * step + 1 for kernel, step in spans]
    before = attributes["pads"][:rank]
    last = [(count - 1) * stride for count, stride in zip(windows, attributes["strides"], strict=True)]
    behind = [max(a + b - c - d, 0) for a, b, c, d in zip(last, reach, image, before, strict=True)]
    attributes["pads"] = [*before, *behind]


def _each(sizes: list[int], rank: int) -> list[int]:
    return list(sizes) * (rank // len(sizes))
