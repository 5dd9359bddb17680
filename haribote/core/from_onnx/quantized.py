"""Numbers as whole ones of 8 or 16 bits, with a scale and a zero point.

QuantizeLinear(x)      ->  limits of (round(x / scale) + zero)
DequantizeLinear(x)    ->  (x - zero) * scale
MatMulInteger(a, b)    ->  a product of floats; of b's lower and upper four bits where the sums are too large for floats
ConvInteger(x, w)      ->  the same
QLinear…(a, b)         ->  that, scaled and quantized again
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from haribote.core.from_onnx.rules import rule
from haribote.core.rewrite import Rewriter

EXACT = 2**24
"""Whole numbers below it are exact as floats."""


def _along(g: Rewriter, name: str, axis: int, shape: tuple[int, ...]) -> str:
    """A scale or zero point as floats, a scalar or one for each place of an axis, so that it broadcasts to a shape."""
    own = g.shapes[name]
    if prod(own) == 1:
        name = g.shaped(name, [], part="one")
    elif len(own) == 1:
        name = g.shaped(name, [own[0] if k == axis % len(shape) else 1 for k in range(len(shape))], part="wide")
    return g.cast(name, np.float32, part="float")


def _float(g: Rewriter, name: str, minus: str = "", axis: int = 0) -> str:
    """A value as floats, less a zero point where there is one."""
    value = g.cast(name, np.float32, part="float")
    return g.op("Sub", value, _along(g, minus, axis, g.shapes[name]), part="less") if minus else value


def _blocked(g: Rewriter) -> bool:
    x, scale = (g.shapes[name] for name in g.node.input[:2])
    return len(scale) > 1 and scale != x


def _limited(g: Rewriter, value: str, zero: str, axis: int) -> str:
    """Rounded, moved by the zero point, and within the limits of the result's type."""
    dtype, found = g.dtypes[g.result], g.op("Round", value, part="round")
    if zero:
        found = g.op("Add", found, _along(g, zero, axis, g.shapes[g.result]), part="sum")
    limits = [g.number(float(limit)) for limit in (np.iinfo(dtype).min, np.iinfo(dtype).max)]
    return g.cast(g.op("Clip", found, *limits, part="limited"), dtype)


@rule("QuantizeLinear")
def quantize(g: Rewriter) -> str | bool:
    """QuantizeLinear to whole numbers, by one scale or one for each place of an axis."""
    (x, scale), axis = g.node.input[:2], g.given.get("axis", 1)
    if g.dtypes[g.result].kind not in "iu" or _blocked(g):
        return False
    quotient = g.op("Div", _float(g, x), _along(g, scale, axis, g.shapes[x]), part="quotient")
    return _limited(g, quotient, g.input(2), axis)


@rule("DequantizeLinear")
def dequantize(g: Rewriter) -> str | bool:
    """DequantizeLinear of whole numbers."""
    (x, scale), axis = g.node.input[:2], g.given.get("axis", 1)
    if g.dtypes[x].kind not in "iu" or _blocked(g):
        return False
    found = g.op("Mul", _float(g, x, g.input(2), axis), _along(g, scale, axis, g.shapes[x]), part="scaled")
    return g.cast(found, g.dtypes[g.result])


def _exact(g: Rewriter, product: Callable[[str], str], b: str, depth: int) -> str:
    """A sum of `depth` products of numbers of at most 9 bits as int32, exact: product(b) makes one of floats."""

    def whole(value: str) -> str:
        return g.cast(g.op("Round", product(value), part="round"), np.int32, part="whole")

    if depth * 2**17 < EXACT:
        return whole(b)
    sixteen = g.number(16.0)
    upper = g.op("Floor", g.op("Div", b, sixteen, part="over"), part="upper")
    lower = g.op("Sub", b, g.op("Mul", upper, sixteen, part="back"), part="lower")
    first = g.op("Mul", whole(upper), g.builder.scalar(16, np.int32), part="first")
    return g.op("Add", first, whole(lower), part="exact")


def _product(g: Rewriter, b: str, zeros: tuple[str, str]) -> str:
    """The whole product of the first input and `b`, less their zero points, as int32."""
    a = g.node.input[0]
    first, second = _float(g, a, zeros[0], axis=-2), _float(g, b, zeros[1], axis=-1)
    return _exact(g, lambda value: g.op("MatMul", first, value, part="product"), second, g.shapes[a][-1])


def _windows(g: Rewriter, w: str, zeros: tuple[str, str]) -> str:
    """The whole convolution of the first input with `w`, less their zero points, as int32."""
    first, second = _float(g, g.node.input[0], zeros[0], axis=1), _float(g, w, zeros[1], axis=0)
    depth = prod(g.shapes[w][1:])
    return _exact(g, lambda value: g.op("Conv", first, value, part="product", **g.given), second, depth)


@rule("MatMulInteger", "ConvInteger")
def whole_product(g: Rewriter) -> str | bool:
    """MatMulInteger and ConvInteger."""
    make = _product if g.node.op_type == "MatMulInteger" else _windows
    return g.op("Identity", make(g, g.node.input[1], (g.input(2), g.input(3))))


@rule("QLinearMatMul", "QLinearConv")
def quantized_product(g: Rewriter) -> str | bool:
    """QLinearMatMul and QLinearConv."""
    scales, zero = [g.node.input[k] for k in (1, 4, 6)], g.node.input[7]
    image, shape = g.node.op_type == "QLinearConv", g.shapes[g.result]
    found = (_windows if image else _product)(g, g.node.input[3], (g.node.input[2], g.node.input[5]))
    if image and g.input(8):
        bias = g.shaped(g.input(8), [1, -1, *[1] * (len(shape) - 2)], part="bias")
        found = g.op("Add", found, bias, part="biased")
    axes = (-2, 1 if image else -1, 1 if image else -1)
    a, b, y = (_along(g, name, axis, shape) for name, axis in zip(scales, axes, strict=True))
    scaled = g.op("Mul", g.cast(found, np.float32, part="float"), g.op("Mul", a, b, part="scales"), part="scaled")
    return _limited(g, g.op("Div", scaled, y, part="quotient"), zero, axes[2])
