"""Arithmetic, element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log2
from typing import Any

import numpy as np

from haribote.answers.ownership import exercise
from haribote.core.cells import Cell, trace
from haribote.core.elementwise import ROWS
from haribote.core.special import SPECIAL, gamma
from haribote.jax.flat.values import Ref, Value
from haribote.jax.rules.lowering import RULES, Held, Lowering, graph_type, is_float, rule, uniform
from simulator.messages import tr

SAME_IN_ONNX = {name: row.name for row in ROWS for name in row.jax.split()}
"""Primitives of one argument that are one operator."""


@rule(*SAME_IN_ONNX)
def unary(g: Lowering, x: Value) -> Held:
    """One operator, that ONNX may have for numbers with a sign only."""
    if g.operation.name == "neg" and x.dtype.kind == "u":
        return g.each("Sub", g.scalar(0, x), x)
    if g.operation.name == "sign" and x.dtype.kind == "u":
        return g.each("Min", x, g.scalar(1, x))
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


@rule("rsqrt")
def rsqrt(g: Lowering, x: Value) -> Held:
    """1 / sqrt(x)."""
    return g.each("Reciprocal", g.each("Sqrt", x, part="sqrt"))


BY_EXPRESSION = {name: row.value for row in SPECIAL for name in row.jax.split()}
"""Primitives of floats that are written in several operators."""


@rule(*BY_EXPRESSION)
def expression(g: Lowering, *operands: Value) -> Held:
    """A function of `haribote.core.special`."""
    return _written(g, BY_EXPRESSION[g.operation.name], *operands)


@rule("polygamma")
def polygamma(g: Lowering, order: Value, x: Value) -> Held:
    """The derivative of digamma, a number of times that is known."""
    number = int(order.flat[0]) if isinstance(order, np.ndarray) and order.size else -1
    g.require(number >= 0 and uniform(order, number), tr("only of an order that is known, and the same everywhere"))
    return _written(g, partial(gamma.polygamma, order=number), x)


def _written(g: Lowering, function: Callable[..., Any], *operands: Value) -> Held:
    found = trace(function, [graph_type(x.dtype) for x in operands])

    def write(cell: Cell, values: list[Held]) -> Held:
        if cell.op == "number":
            return g.scalar(cell.value, cell.dtype)
        return g.each(cell.op, *values, part="" if cell is found else cell.op.lower())

    made: Held = found.at([g.small(x) for x in operands], write)
    return made


@rule("round")
def round_(g: Lowering, x: Value, rounding_method: Any) -> Held:
    """To the nearest whole number; halves to even, or away from zero."""
    if int(rounding_method) == 1:
        return g.each("Round", x)
    size = g.each("Floor", g.each("Add", g.each("Abs", x, part="size"), g.scalar(0.5, x)), part="floor")
    return g.each("Mul", g.each("Sign", x, part="sign"), size)


def _within(g: Lowering, x: Held, kind: np.dtype[Any], dtype: np.dtype[Any]) -> Held:
    """Floats no further out than an integer type goes, as XLA has it, where its ends are floats too."""
    info = np.iinfo(dtype)
    if dtype.kind == "u" or dtype.itemsize < 4:
        x = g.each("Max", x, g.scalar(int(info.min), kind), part="low")
    return g.each("Min", x, g.scalar(int(info.max), kind), part="high") if dtype.itemsize < 4 else x


@rule("convert_element_type")
def convert(g: Lowering, x: Value, new_dtype: Any) -> Held:
    """Elements of another type; float16 and bfloat16 stay float32."""
    held = g.small(x)
    dtype = graph_type(np.dtype(new_dtype))
    if is_float(x.dtype) and dtype.kind in "iu":
        held = _within(g, held, x.dtype, dtype)
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
