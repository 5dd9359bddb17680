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
import onnx

from haribote.core.from_onnx.rules import rule
from haribote.graph import Builder, Index, attributes

EXACT = 2**24
"""Whole numbers below it are exact as floats."""
FLOAT, INT32 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT32


def _along(builder: Builder, index: Index, name: str, axis: int, shape: tuple[int, ...]) -> str:
    """A scale or zero point, a scalar or one number for each place of an axis, so that it broadcasts to a shape."""
    own = index.shape[name]
    if prod(own) == 1:
        return builder.op("Reshape", name, builder.constant(np.zeros(0, np.int64), "no_axes"), name=f"{name}.one")
    if len(own) > 1:
        return name
    sizes = np.array([own[0] if k == axis % len(shape) else 1 for k in range(len(shape))], np.int64)
    return builder.op("Reshape", name, builder.constant(sizes, f"{name}.sizes"), name=f"{name}.wide")


def _float(builder: Builder, index: Index, name: str, minus: str = "", axis: int = 0) -> str:
    """A value as floats, less a zero point where there is one."""
    value = builder.op("Cast", name, name=f"{name}.float", to=FLOAT)
    if not minus:
        return value
    zero = _along(builder, index, minus, axis, index.shape[name])
    return builder.op("Sub", value, builder.op("Cast", zero, name=f"{minus}.float", to=FLOAT), name=f"{name}.less")


def _given(node: onnx.NodeProto, number: int) -> str:
    return node.input[number] if number < len(node.input) else ""


def _blocked(node: onnx.NodeProto, index: Index) -> bool:
    return len(index.shape[node.input[1]]) > 1 and index.shape[node.input[1]] != index.shape[node.input[0]]


def _limited(builder: Builder, index: Index, value: str, zero: str, axis: int, result: str) -> None:
    """Rounded, moved by the zero point, and within the limits of the result's type."""
    dtype = index.dtype[result]
    found = builder.op("Round", value, name=f"{result}.round")
    if zero:
        wide = _along(builder, index, zero, axis, index.shape[result])
        found = builder.op("Add", found, builder.op("Cast", wide, name=f"{zero}.float", to=FLOAT), name=f"{result}.sum")
    limits = [builder.scalar(float(limit)) for limit in (np.iinfo(dtype).min, np.iinfo(dtype).max)]
    found = builder.op("Clip", found, *limits, name=f"{result}.limited")
    builder.op("Cast", found, name=result, reserved=True, to=onnx.helper.np_dtype_to_tensor_dtype(dtype))


@rule("QuantizeLinear")
def quantize(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """QuantizeLinear to whole numbers, by one scale or one for each place of an axis."""
    x, scale, zero, result = node.input[0], node.input[1], _given(node, 2), node.output[0]
    axis = attributes(node).get("axis", 1)
    if index.dtype[result].kind not in "iu" or _blocked(node, index):
        return False
    wide = _along(builder, index, scale, axis, index.shape[x])
    parts = [builder.op("Cast", name, name=f"{name}.float", to=FLOAT) for name in (x, wide)]
    quotient = builder.op("Div", *parts, name=f"{result}.quotient")
    _limited(builder, index, quotient, zero, axis, result)
    return True


@rule("DequantizeLinear")
def dequantize(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """DequantizeLinear of whole numbers."""
    x, scale, zero, result = node.input[0], node.input[1], _given(node, 2), node.output[0]
    axis = attributes(node).get("axis", 1)
    if index.dtype[x].kind not in "iu" or _blocked(node, index):
        return False
    wide = builder.op("Cast", _along(builder, index, scale, axis, index.shape[x]), name=f"{scale}.float", to=FLOAT)
    found = builder.op("Mul", _float(builder, index, x, zero, axis), wide, name=f"{result}.float")
    to = onnx.helper.np_dtype_to_tensor_dtype(index.dtype[result])
    builder.op("Cast", found, name=result, reserved=True, to=to)
    return True


def _exact(builder: Builder, product: Callable[[str, str], str], b: str, depth: int, name: str) -> str:
    """A sum of `depth` products of numbers of at most 9 bits as int32, exact: product(b, name) makes one of floats."""

    def whole(value: str, part: str) -> str:
        rounded = builder.op("Round", product(value, f"{name}.{part}"), name=f"{name}.{part}.round")
        return builder.op("Cast", rounded, name=f"{name}.{part}.whole", to=INT32)

    if depth * 2**17 < EXACT:
        return whole(b, "all")
    sixteen = builder.scalar(16.0)
    upper = builder.op("Floor", builder.op("Div", b, sixteen, name=f"{name}.over"), name=f"{name}.upper")
    lower = builder.op("Sub", b, builder.op("Mul", upper, sixteen, name=f"{name}.back"), name=f"{name}.lower")
    first = builder.op("Mul", whole(upper, "high"), builder.scalar(16, np.int32), name=f"{name}.scaled")
    return builder.op("Add", first, whole(lower, "low"), name=f"{name}.exact")


def _zeros(index: Index, node: onnx.NodeProto, numbers: tuple[int, int]) -> tuple[str, str]:
    return _given(node, numbers[0]), _given(node, numbers[1])


def _product(builder: Builder, index: Index, node: onnx.NodeProto, b: str, zeros: tuple[str, str]) -> str:
    """The whole product of the first input and `b`, less their zero points, as int32."""
    a, result = node.input[0], node.output[0]
    first = _float(builder, index, a, zeros[0], axis=-2)
    second = _float(builder, index, b, zeros[1], axis=-1)
    depth = index.shape[a][-1]
    return _exact(builder, lambda value, name: builder.op("MatMul", first, value, name=name), second, depth, result)


def _windows(builder: Builder, index: Index, node: onnx.NodeProto, w: str, zeros: tuple[str, str]) -> str:
    """The whole convolution of the first input with `w`, less their zero points, as int32."""
    first = _float(builder, index, node.input[0], zeros[0], axis=1)
    second = _float(builder, index, w, zeros[1], axis=0)
    given, depth = attributes(node), prod(index.shape[w][1:])

    def convolved(value: str, name: str) -> str:
        return builder.op("Conv", first, value, name=name, **given)

    return _exact(builder, convolved, second, depth, node.output[0])


@rule("MatMulInteger", "ConvInteger")
def whole_product(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """MatMulInteger and ConvInteger."""
    make = _product if node.op_type == "MatMulInteger" else _windows
    found = make(builder, index, node, node.input[1], _zeros(index, node, (2, 3)))
    builder.op("Identity", found, name=node.output[0], reserved=True)
    return True


@rule("QLinearMatMul", "QLinearConv")
def quantized_product(builder: Builder, index: Index, node: onnx.NodeProto) -> bool:
    """QLinearMatMul and QLinearConv."""
    a_scale, b_scale, y_scale, zero, result = (*(node.input[k] for k in (1, 4, 6, 7)), node.output[0])
    image, shape = node.op_type == "QLinearConv", index.shape[node.output[0]]
    make = _windows if image else _product
    found = make(builder, index, node, node.input[3], _zeros(index, node, (2, 5)))
    if image and _given(node, 8):
        sizes = builder.constant(np.array([1, -1, *[1] * (len(shape) - 2)], np.int64), f"{result}.channels")
        bias = builder.op("Reshape", node.input[8], sizes, name=f"{result}.bias")
        found = builder.op("Add", found, bias, name=f"{result}.biased")
    value = builder.op("Cast", found, name=f"{result}.float", to=FLOAT)
    axes = (-2, 1 if image else -1, 1 if image else -1)
    a, b, y = (
        builder.op("Cast", _along(builder, index, name, axis, shape), name=f"{name}.float", to=FLOAT)
        for name, axis in zip((a_scale, b_scale, y_scale), axes, strict=True)
    )
    scaled = builder.op("Mul", value, builder.op("Mul", a, b, name=f"{result}.scales"), name=f"{result}.scaled")
    quotient = builder.op("Div", scaled, y, name=f"{result}.quotient")
    _limited(builder, index, quotient, zero, axes[2], result)
    return True
