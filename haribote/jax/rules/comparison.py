"""Comparisons, logic and bits, and what they select."""

from __future__ import annotations

import numpy as np

from haribote.jax.flat.values import Value
from haribote.jax.rules.lowering import Held, Lowering, rule

COMPARISONS = {"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}


@rule(*COMPARISONS, "lt_to", "le_to")
def compare(g: Lowering, x: Value, y: Value) -> Held:
    """Order; of bool, as numbers."""
    left, right = (_number(g, value) for value in (x, y))
    return g.each(COMPARISONS[g.operation.name.removesuffix("_to")], left, right)


def _number(g: Lowering, value: Value) -> Held:
    held = g.small(value)
    return g.cast(held, np.int32) if value.dtype == np.bool_ else held


@rule("eq", "eq_to")
def equal(g: Lowering, x: Value, y: Value) -> Held:
    """Equality."""
    return g.each("Not", g.each("Xor", x, y, part="xor")) if x.dtype == np.bool_ else g.each("Equal", x, y)


@rule("ne")
def unequal(g: Lowering, x: Value, y: Value) -> Held:
    """Inequality."""
    return g.each("Xor", x, y) if x.dtype == np.bool_ else g.each("Not", g.each("Equal", x, y, part="equal"))


@rule("select_n")
def select(g: Lowering, which: Value, *cases: Value) -> Held:
    """The case of that number; a number outside means the nearest one."""
    if which.dtype == np.bool_:
        return g.each("Where", which, cases[1], cases[0])
    result = g.small(cases[-1])
    for number, case in reversed(list(enumerate(cases[:-1]))):
        here = g.each("LessOrEqual", which, g.scalar(number, which), part="here")
        result = g.each("Where", here, case, result)
    return result


@rule("is_finite")
def is_finite(g: Lowering, x: Value) -> Held:
    """Neither infinite nor NaN, which is below nothing."""
    return g.each("Less", g.each("Abs", x, part="size"), g.scalar(np.inf, x))


LOGIC = {"and": ("And", "BitwiseAnd"), "or": ("Or", "BitwiseOr"), "xor": ("Xor", "BitwiseXor")}


@rule(*LOGIC)
def logic(g: Lowering, x: Value, y: Value) -> Held:
    """Of bool, or bit by bit."""
    of_bool, of_bits = LOGIC[g.operation.name]
    return g.each(of_bool if x.dtype == np.bool_ else of_bits, x, y)


@rule("not")
def negation(g: Lowering, x: Value) -> Held:
    """Of bool, or bit by bit."""
    return g.each("Not" if x.dtype == np.bool_ else "BitwiseNot", x)


@rule("shift_left", "shift_right_logical")
def shift(g: Lowering, x: Value, y: Value) -> Held:
    """Bits moved, zeros in their place, all of them from as many places on as there are bits.

    ONNX does this for unsigned integers, and does not say what comes of so many places.
    """
    bits = 8 * x.dtype.itemsize
    if isinstance(y, np.ndarray) and (y >= bits).all():
        return g.scalar(0, x)
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    operands = [g.small(value) if value.dtype == unsigned else g.cast(g.small(value), unsigned) for value in (x, y)]
    moved = g.each("BitShift", *operands, direction="LEFT" if g.operation.name == "shift_left" else "RIGHT")
    moved = moved if x.dtype == unsigned else g.cast(moved, x.dtype, "")
    if isinstance(y, np.ndarray) and (y < bits).all():
        return moved
    return g.each("Where", g.each("Less", y, g.scalar(bits, y), part="few"), moved, g.scalar(0, x))


@rule("shift_right_arithmetic")
def shift_signed(g: Lowering, x: Value, y: Value) -> Held:
    """Bits moved down; those of a negative number come in as ones: not (not x >> y)."""
    last = g.scalar(8 * x.dtype.itemsize - 1, y)
    places = g.each("Min", y, last, part="places")
    if x.dtype.kind == "u":
        return g.each("BitShift", x, places, direction="RIGHT")
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    negative = g.each("Less", x, g.scalar(0, x), part="negative")
    positive = g.each("Where", negative, g.each("BitwiseNot", x, part="not"), x, part="positive")
    moved = g.each("BitShift", g.cast(positive, unsigned), g.cast(places, unsigned), direction="RIGHT")
    back = g.cast(moved, x.dtype)
    return g.each("Where", negative, g.each("BitwiseNot", back, part="back"), back)
