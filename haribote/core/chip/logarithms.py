"""Floats: logarithms, and powers by them."""

from __future__ import annotations

from haribote.core.chip.arithmetic import magnitude, sign
from haribote.core.chip.division import inverse_root, reciprocal, square_root
from haribote.core.chip.exponentials import exponential, hyperbolic_tangent
from haribote.core.chip.logic import at_least, float_of
from haribote.core.chip.terms import Call, Term, Truth, select
from haribote.core.chip.values import MSB, Builder, Value

LN2 = 0.6931471805599453
ROOT_HALF = 0x3F3504F3
"""The bits of sqrt(1/2)."""
LOG = (
    0.08700359612703323,
    -0.1426747590303421,
    0.1491478681564331,
    -0.165775865316391,
    0.19963061809539795,
    -0.2500133812427521,
    0.3333390951156616,
)
"""log(1 + f) = f - f²/2 + f³ p(f), f from sqrt(1/2) - 1 to sqrt(2) - 1: the minimax relative error is 3e-8."""


SMALLEST, INFINITE = 0x00800000, 0x7F800000
"""The bits of 2^-126 and of inf."""


def log_near_1(b: Builder, f: Value) -> Value:
    """log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1."""
    inner = b.polynomial(f, b.real(LOG[0]), LOG[1:])
    return b.fma(b.fma(inner, f, b.real(-0.5)), b.mul(f, f), f)


def logarithm(b: Builder, x: Value) -> Value:
    """log(x): x = 2^k m with m from sqrt(1/2) to sqrt(2); inf of inf, -inf for what is not above 0."""
    above = b.op("isub", x, b.bits(ROOT_HALF))
    m = b.op("iadd", b.op("iand", above, b.bits(0x007FFFFF)), b.bits(ROOT_HALF))
    whole = b.op("iadd", b.op("ilsr", above, b.bits(23)), b.bits(0x4B400000))
    k = b.add(whole, b.real(-1.5 * 2**23))
    near = log_near_1(b, b.add(m, b.real(-1)))
    beyond = b.fma(x, b.real(4), b.real(float("-inf")))  # of 2^128, which inf is here, inf; of what is below 1 -inf
    finite = at_least(b, "uint", b.op("isub", x, b.bits(SMALLEST)), b.bits(INFINITE - SMALLEST)).opposite()
    return select(b, finite, b.fma(k, b.real(LN2), near), beyond)


def soft_maximum(b: Builder, x: Value) -> Value:
    """log(1 + e^x) = max(x, 0) + log(1 + u) with u = e^-|x|.

    For u above sqrt(2) - 1, 1 + u = 2 (1 + f) with f = (u - 1) / 2; else f = u.
    """
    u = exponential(b, b.op("ior", MSB, x))
    limit = b.real(2**0.5 - 1)
    large = Truth(None, b.flags(b.op("fmax", u, limit)))
    f = select(b, large, b.fma(u, b.real(0.5), b.real(-0.5)), u)
    near = b.add(log_near_1(b, f), select(b, large, b.real(LN2), b.real(0)))
    return b.add(b.op("fmax", x, b.real(0)), near)


def mish(b: Builder, x: Value) -> Value:
    """x tanh(log(1 + e^x))."""
    return b.mul(x, hyperbolic_tangent(b, soft_maximum(b, x)))


def inverse_hyperbolic_sine(b: Builder, x: Value) -> Value:
    """log(|x| + sqrt(x² + 1)) with the sign of x."""
    size = magnitude(b, x)
    found = _log_of_both(b, size, square_root(b, b.fma(x, x, b.real(1))))
    return b.op("ior", magnitude(b, found), sign(b, x))


def inverse_hyperbolic_cosine(b: Builder, x: Value) -> Value:
    """log(x + sqrt(x² - 1))."""
    return _log_of_both(b, x, square_root(b, b.fma(x, x, b.real(-1))))


def _log_of_both(b: Builder, x: Value, root: Value) -> Value:
    """log(x + root); where x² is too large, the root is x, and it is log x + log 2."""
    large = at_least(b, "float", x, b.real(2.0**60))
    found = logarithm(b, select(b, large, x, b.add(x, root)))
    return b.add(found, select(b, large, b.real(LN2), b.real(0)))


def inverse_hyperbolic_tangent(b: Builder, x: Value) -> Value:
    """log((1 + x) / (1 - x)) / 2."""
    quotient = b.mul(b.add(x, b.real(1)), reciprocal(b, b.add(b.neg(x), b.real(1))))
    return b.mul(logarithm(b, quotient), b.real(0.5))


def power(call: Call) -> Term:
    """x^y: products for whole constants up to 8, roots for halves, else e^(y log |x|), with the sign of x where y is
    odd. Of a negative x and a fraction such as 0.3 (no half) it is NaN.
    """
    b, x, exponent = call.b, call.value(), call.term(1).number
    if exponent is not None and 2 * abs(exponent) == int(2 * abs(exponent)) and abs(exponent) <= 8:
        return Term("float", _known_power(b, x, float(exponent)))
    y = call.term(1).value(b) if call.term(1).kind == "float" else float_of(b, call.value(1))
    found = exponential(b, b.mul(logarithm(b, magnitude(b, x)), y))
    if exponent is not None and exponent % 1 == 0:
        return Term("float", b.op("ior", found, sign(b, x)) if exponent % 2 == 1 else found)
    negative = sign(b, b.add(x, b.real(0)))  # of -0 nothing
    if exponent is not None:
        return Term("float", b.op("ior", found, b.op("ilsr", negative, b.bits(31))))
    half = b.mul(y, b.real(0.5))
    odd = b.add(b.real(0.25), b.neg(b.add(half, b.neg(b.op("ffloor", half)))))  # below 0 where y / 2 is no whole number
    rest = b.add(b.op("ffloor", y), b.neg(y))  # below 0 where y is no whole number
    unknown = b.op("ilsr", b.op("iand", rest, negative), b.bits(31))  # all ones, NaN
    return Term("float", b.op("ior", b.op("ior", found, unknown), b.op("iand", odd, negative)))


def _known_power(b: Builder, x: Value, exponent: float) -> Value:
    if exponent < 0:
        return inverse_root(b, x) if exponent == -0.5 else reciprocal(b, _known_power(b, x, -exponent))
    found: Value | None = square_root(b, x) if exponent % 1 else None
    square, left = x, int(exponent)
    while left:
        if left & 1:
            found = square if found is None else b.mul(found, square)
        square, left = b.mul(square, square), left >> 1
    return b.real(1) if found is None else found
