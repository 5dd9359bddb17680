"""Arithmetic, element by element."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from haribote.answers.ownership import exercise
from haribote.core.elementwise import ROWS
from haribote.jax.flat.values import Ref, Value
from haribote.jax.rules.lowering import RULES, Held, Lowering, graph_type, is_float, rule, uniform
from simulator.messages import tr

SAME_IN_ONNX = {name: row.name for row in ROWS for name in row.jax.split()}
"""Primitives of one argument that are one operator."""


@rule(*SAME_IN_ONNX)
def unary(g: Lowering, x: Value) -> Held:
    """One operator."""
    return g.each(SAME_IN_ONNX[g.operation.name], x)


@rule("add", "add_any")
def add(g: Lowering, x: Value, y: Value) -> Held:
    """X + y; of bool, or."""
    if x.dtype == np.bool_:
        return g.each("Or", x, y)
    if uniform(y, 0) or uniform(x, 0):
        return g.small(x if uniform(y, 0) else y)
    return g.each("Add", x, y)


@rule("sub")
def sub(g: Lowering, x: Value, y: Value) -> Held:
    """X - y."""
    return g.small(x) if uniform(y, 0) else g.each("Sub", x, y)


@rule("mul")
def mul(g: Lowering, x: Value, y: Value) -> Held:
    """X * y; of bool, and."""
    if x.dtype == np.bool_:
        return g.each("And", x, y)
    for one, other in ((x, y), (y, x)):
        if uniform(one, 1):
            return g.small(other)
        if uniform(one, -1) and is_float(x.dtype):
            return g.each("Neg", other)
    return g.each("Mul", x, y)


@rule("div")
def div(g: Lowering, x: Value, y: Value) -> Held:
    """X / y; of integers, rounded towards zero. Division by a power of two is a product."""
    if uniform(y, 1):
        return g.small(x)
    if isinstance(y, np.ndarray) and y.size and is_float(y.dtype) and _power_of_two(float(y.flat[0])):
        number = float(y.flat[0])
        if uniform(y, number):
            return g.each("Mul", x, g.scalar(1 / number, y))
    return g.each("Div", x, y)


def _power_of_two(number: float) -> bool:
    return number > 0 and abs(log2(number)) < 60 and log2(number) == int(log2(number))


@rule("rem")
def rem(g: Lowering, x: Value, y: Value) -> Held:
    """The remainder, with the sign of x."""
    return g.each("Mod", x, y, fmod=1)


@rule("max")
def maximum(g: Lowering, x: Value, y: Value) -> Held:
    """The larger one; of bool, or. With zero it is Relu."""
    if x.dtype == np.bool_:
        return g.each("Or", x, y)
    if is_float(x.dtype) and (uniform(x, -np.inf) or uniform(y, -np.inf)):
        return g.small(x if uniform(y, -np.inf) else y)
    if is_float(x.dtype) and (uniform(x, 0) or uniform(y, 0)):
        return g.each("Relu", x if uniform(y, 0) else y)
    return g.each("Max", x, y)


@rule("min")
def minimum(g: Lowering, x: Value, y: Value) -> Held:
    """The smaller one; of bool, and."""
    return g.each("And" if x.dtype == np.bool_ else "Min", x, y)


@rule("clamp")
def clamp(g: Lowering, low: Value, x: Value, high: Value) -> Held:
    """X, not below low and not above high."""
    return g.each("Min", g.each("Max", x, low, part="low"), high)


@rule("square")
def square(g: Lowering, x: Value) -> Held:
    """X * x."""
    return g.each("Mul", x, x)


@exercise("8.3")
def integer_pow(g: Lowering, x: Value, y: int) -> Held:
    """X multiplied with itself, by squaring; the reciprocal of that for negative y."""
    raise NotImplementedError


RULES["integer_pow"] = integer_pow


@rule("pow")
def power(g: Lowering, x: Value, y: Value) -> Held:
    """X ** y; products where y is a small whole number that is known."""
    if isinstance(y, np.ndarray) and y.size and is_float(x.dtype):
        number = float(y.flat[0])
        if uniform(y, number) and number == int(number) and abs(number) <= 16:
            return integer_pow(g, x, int(number))
        if uniform(y, 0.5):
            return g.each("Sqrt", x)
    return g.each("Pow", x, y)


@rule("exp2")
def exp2(g: Lowering, x: Value) -> Held:
    """2 ** x."""
    return g.each("Pow", g.scalar(2, x), x)


@rule("expm1")
def expm1(g: Lowering, x: Value) -> Held:
    """Exp(x) - 1, accurate near 0 by Kahan's formula: (u - 1) x / log u, where u = exp x."""
    one = g.scalar(1, x)
    u = g.each("Exp", x, part="exp")
    difference = g.each("Sub", u, one, part="difference")
    near = g.each("Less", g.each("Abs", x, part="size"), g.scalar(0.5, x), part="near")
    log = g.each("Log", u, part="log")
    flat = g.each("Equal", u, one, part="flat")
    ratio = g.each("Div", g.each("Mul", difference, x, part="product"), g.each("Where", flat, one, log), part="ratio")
    return g.each("Where", near, g.each("Where", flat, x, ratio, part="exact"), difference)


@rule("log1p")
def log1p(g: Lowering, x: Value) -> Held:
    """Log(1 + x), accurate near 0 by Kahan's formula: x log u / (u - 1), where u = 1 + x."""
    one = g.scalar(1, x)
    u = g.each("Add", x, one, part="sum")
    log = g.each("Log", u, part="log")
    rest = g.each("Sub", u, one, part="rest")
    near = g.each("Less", g.each("Abs", x, part="size"), g.scalar(0.5, x), part="near")
    flat = g.each("Equal", u, one, part="flat")
    ratio = g.each("Div", g.each("Mul", x, log, part="product"), g.each("Where", flat, one, rest), part="ratio")
    return g.each("Where", near, g.each("Where", flat, x, ratio, part="exact"), log)


@rule("rsqrt")
def rsqrt(g: Lowering, x: Value) -> Held:
    """1 / sqrt(x)."""
    return g.each("Reciprocal", g.each("Sqrt", x, part="sqrt"))


@rule("cbrt")
def cbrt(g: Lowering, x: Value) -> Held:
    """The cube root, with the sign of x."""
    root = g.each("Pow", g.each("Abs", x, part="size"), g.scalar(1 / 3, x), part="root")
    return g.each("Mul", g.each("Sign", x, part="sign"), root)


@rule("erfc")
def erfc(g: Lowering, x: Value) -> Held:
    """1 - erf(x)."""
    return g.each("Sub", g.scalar(1, x), g.each("Erf", x, part="erf"))


NEAR = [2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503]
NEAR += [-0.00417768164, 0.246640727, 1.50140941]
FAR = [-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613]
FAR += [0.00943887047, 1.00167406, 2.83297682]
"""Giles, "Approximating the erfinv function", 2010: polynomials of w - 2.5 and of sqrt(w) - 3."""


@rule("erf_inv")
def erf_inv(g: Lowering, x: Value) -> Held:
    """The inverse of erf, x times a polynomial of w = -log((1 - x)(1 + x))."""
    one = g.scalar(1, x)
    product = g.each("Mul", g.each("Sub", one, x), g.each("Add", one, x))
    w = g.each("Neg", g.each("Log", product))
    near = g.each("Less", w, g.scalar(5, x), part="near")
    below = g.each("Sub", w, g.scalar(2.5, x))
    above = g.each("Sub", g.each("Sqrt", g.each("Max", w, g.scalar(0, x))), g.scalar(3, x))
    t = g.each("Where", near, below, above)
    total = g.each("Where", near, g.scalar(NEAR[0], x), g.scalar(FAR[0], x))
    for a, b in zip(NEAR[1:], FAR[1:], strict=True):
        factor = g.each("Where", near, g.scalar(a, x), g.scalar(b, x))
        total = g.each("Add", g.each("Mul", total, t), factor)
    return g.each("Mul", total, x)


@rule("atan2")
def atan2(g: Lowering, y: Value, x: Value) -> Held:
    """The angle of the point (x, y), from -pi to pi."""
    zero = g.scalar(0, x)
    at_axis = g.each("Equal", x, zero, part="axis")
    angle = g.each("Atan", g.each("Div", y, g.each("Where", at_axis, g.scalar(1, x), x)), part="angle")
    half = g.each("Mul", g.each("Sign", y, part="sign"), g.scalar(np.pi / 2, x), part="half")
    behind = g.each("Less", x, zero, part="behind")
    turn = g.each("Where", g.each("Less", y, zero), g.scalar(-np.pi, x), g.scalar(np.pi, x), part="turn")
    turned = g.each("Add", angle, turn, part="turned")
    return g.each("Where", at_axis, half, g.each("Where", behind, turned, angle))


@rule("round")
def round_(g: Lowering, x: Value, rounding_method: Any) -> Held:
    """To the nearest whole number; halves to even, or away from zero."""
    if int(rounding_method) == 1:
        return g.each("Round", x)
    size = g.each("Floor", g.each("Add", g.each("Abs", x, part="size"), g.scalar(0.5, x)), part="floor")
    return g.each("Mul", g.each("Sign", x, part="sign"), size)


@rule("convert_element_type")
def convert(g: Lowering, x: Value, new_dtype: Any) -> Held:
    """Elements of another type; float16 and bfloat16 stay float32."""
    held = g.small(x)
    dtype = graph_type(np.dtype(new_dtype))
    return held if graph_type(x.dtype) == dtype else g.cast(held, dtype, "")


@rule("reduce_precision")
def reduce_precision(g: Lowering, x: Value) -> Held:
    """X as it is: the result is at least as exact as asked."""
    return g.small(x)


ONE = 0x3F800000
"""The bits of 1.0."""


@rule("bitcast_convert_type")
def bitcast(g: Lowering, x: Value, new_dtype: Any) -> Held:
    """Integers as integers; and the 23 bits of a random number beside the bits of 1.0, as the float that they are."""
    dtype = np.dtype(new_dtype)
    if dtype.kind in "iu" and x.dtype.kind in "iu" and dtype.itemsize == x.dtype.itemsize:
        return g.cast(g.small(x), dtype, "")
    joined = g.maker(x)
    g.require(
        dtype == np.float32 and joined is not None and joined.name == "or", tr("only bits of numbers from 1 to 2")
    )
    assert joined is not None
    bits, one = joined.inputs if isinstance(joined.inputs[0], Ref) else joined.inputs[::-1]
    shift = g.maker(bits)
    shifted = shift is not None and shift.name == "shift_right_logical" and uniform(shift.inputs[1], 9)
    g.require(uniform(one, ONE) and shifted, tr("only bits of numbers from 1 to 2"))
    whole = g.cast(g.small(bits), np.float32)
    return g.each("Add", g.each("Mul", whole, g.scalar(2.0**-23, np.float32)), g.scalar(1, np.float32))
