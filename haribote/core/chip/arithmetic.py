"""Floats: arithmetic, and what a few instructions do: rounding, limits, signs."""

from __future__ import annotations

from functools import reduce

from haribote.core.chip.terms import Call, Term, Truth, select
from haribote.core.chip.values import EXPONENT, MAGNITUDE, MSB, SIGN, SMALLEST, Builder, Value

HUGE = 2.0**127


def magnitude(b: Builder, x: Value) -> Value:
    """|x|."""
    return b.op("iand", x, b.bits(MAGNITUDE))


def sign(b: Builder, x: Value) -> Value:
    """The sign bit alone."""
    return b.op("iand", MSB, x)


def add(call: Call) -> Term:
    """A product as one operand makes one multiply-add, which is rounded once."""
    return Term("float", total(call.b, call.value(0), call.value(1)))


def sub(call: Call) -> Term:
    """As Add."""
    return Term("float", total(call.b, call.value(0), call.b.neg(call.value(1))))


def sum_all(call: Call) -> Term:
    """From left to right."""
    return Term("float", reduce(lambda x, y: total(call.b, x, y), call.values()))


def total(b: Builder, x: Value, y: Value) -> Value:
    """x + y."""
    for one, other in ((x, y), (y, x)):
        if other is b.real(0):
            return one
        negated = one.op == "fvpassa" and one.args[0].negated
        product = one.args[0].value if negated else one
        if product.op == "fvmul" and product.mask is None and product in b.single:
            p, q = (b.neg(arg.value) if arg.negated else arg.value for arg in product.args)
            return b.fma(b.neg(p) if negated else p, q, other)
    return b.add(x, y)


def mul(call: Call) -> Term:
    """A factor that is a truth (1.0 or 0.0) flushes the other factor to zero."""
    for mine, other in ((0, 1), (1, 0)):
        truth = call.term(mine).truth
        if truth is not None:
            return Term("float", select(call.b, truth, call.value(other), call.b.real(0)))
    return Term("float", product(call.b, call.value(0), call.value(1)))


def product(b: Builder, x: Value, y: Value) -> Value:
    """x * y."""
    for one, other in ((x, y), (y, x)):
        if one is b.real(1):
            return other
        if one is b.real(-1):
            return b.neg(other)
    return b.mul(x, y)


def negated(b: Builder, x: Value) -> Value:
    """-x."""
    return b.neg(x)


def rectified(b: Builder, x: Value) -> Value:
    """max(x, 0)."""
    return b.op("fmax", x, b.real(0))


def floor(b: Builder, x: Value) -> Value:
    """The next whole number below."""
    return b.op("ffloor", b.nearest(x))


def ceil(b: Builder, x: Value) -> Value:
    """-floor(-x)."""
    return b.op("ixor", MSB, b.op("ffloor", b.op("ixor", MSB, b.nearest(x))))


def round_even(call: Call) -> Term:
    """|x| + 2^23 has no fraction bits; |x| from 2^23 on is whole."""
    b, x = call.b, call.b.nearest(call.value())
    whole = b.real(2.0**23)
    size = magnitude(b, x)
    rounded = b.add(b.add(size, whole), b.real(-(2.0**23)))
    small = b.flags(b.op("fmin", size, whole))
    return Term("float", b.merge(small, b.op("ior", rounded, sign(b, x)), x))


def sign_of(call: Call) -> Term:
    """x times so much that every number but 0 is above 1, and limited to it."""
    b = call.b
    return Term("float", limit(b, b.mul(call.value(), b.real(HUGE)), b.real(-1), b.real(1)))


def limit(b: Builder, x: Value, low: Value, high: Value) -> Value:
    """x, at least low, at most high."""
    return b.op("fmin", b.op("fmax", x, low), high)


def hard_sigmoid(call: Call) -> Term:
    """alpha x + beta, at least 0, at most 1."""
    b, slope, shift = call.b, call.attributes.get("alpha", 0.2), call.attributes.get("beta", 0.5)
    return Term("float", limit(b, b.fma(call.value(), b.real(slope), b.real(shift)), b.real(0), b.real(1)))


def hard_swish(call: Call) -> Term:
    """x limit(x / 6 + 1/2, 0, 1)."""
    b, x = call.b, call.value()
    return Term("float", b.mul(x, limit(b, b.fma(x, b.real(1 / 6), b.real(0.5)), b.real(0), b.real(1))))


def leaky_relu(call: Call) -> Term:
    """The larger of x and alpha x where alpha is at most 1, else the smaller."""
    b, alpha = call.b, call.attributes.get("alpha", 0.01)
    return Term("float", b.op("fmax" if alpha <= 1 else "fmin", call.value(), b.mul(call.value(), b.real(alpha))))


def parametric_relu(call: Call) -> Term:
    """x, or slope x where x is negative."""
    b, x = call.b, call.value()
    return Term("float", select(b, positive(b, x), x, b.mul(x, call.value(1))))


def thresholded_relu(call: Call) -> Term:
    """x where it is above alpha, else 0."""
    b, x = call.b, call.value()
    above = Truth(None, b.flags(b.op("fmin", x, b.real(call.attributes.get("alpha", 1.0)))), False)
    return Term("float", select(b, above, x, b.real(0)))


def shrink(call: Call) -> Term:
    """x + bias below -lambd, x - bias above lambd, else 0."""
    b, x = call.b, call.value()
    bias, width = call.attributes.get("bias", 0.0), call.attributes.get("lambd", 0.5)
    above = Truth(None, b.flags(b.op("fmin", x, b.real(width))), False)
    below = Truth(None, b.flags(b.op("fmax", x, b.real(-width))), False)
    low = select(b, below, b.add(x, b.real(bias)), b.real(0))
    return Term("float", select(b, above, b.add(x, b.real(-bias)), low))


def positive(b: Builder, x: Value) -> Truth:
    """x > 0."""
    return Truth(None, b.flags(b.op("fmax", x, b.real(SMALLEST))))


def greater_cast(call: Call) -> Term:
    """1.0 where x > 0, else 0.0."""
    return Term("float", None, positive(call.b, call.value()))


def is_nan(call: Call) -> Term:
    """By its bits: what the host wrote. The machine itself makes none, and computes with it as with a large number."""
    return Term(
        "bool",
        None,
        Truth(None, call.b.flags(call.b.op("imax", magnitude(call.b, call.value()), call.b.bits(EXPONENT + 1)))),
    )


def is_infinite(call: Call) -> Term:
    """By its bits: +-infinity, either or none of them, as asked."""
    b, x = call.b, call.value()
    match call.attributes.get("detect_positive", 1), call.attributes.get("detect_negative", 1):
        case 1, 1:
            bits = b.op("ixor", magnitude(b, x), b.bits(EXPONENT))
        case 1, 0:
            bits = b.op("ixor", x, b.bits(EXPONENT))
        case 0, 1:
            bits = b.op("ixor", x, b.bits(EXPONENT | SIGN))
        case _:
            return Term("bool", b.bits(0))
    return Term("bool", None, Truth(b.op("ilnot", bits), b.flags(bits)))


def round_half(b: Builder, x: Value) -> Value:
    """To half 1-6-9."""
    return b.op("widen", b.op("fvpassar", x))


def round_bfloat16(b: Builder, x: Value) -> Value:
    """To 7 bits behind the point, ties to even: the bits and half of what is cut off, less 1 where that is even."""
    odd = b.op("iand", b.op("uilsr", x, b.bits(16)), b.bits(1))
    raised = b.op("iadd", b.op("iadd", x, b.bits(0x7FFF)), odd)
    return b.op("iand", raised, b.bits(0xFFFF0000))
