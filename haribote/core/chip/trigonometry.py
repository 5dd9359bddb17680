"""Floats: sine and its like. Angles are reduced by pi in two parts, which is right up to about 2^17."""

from __future__ import annotations

from math import pi

from haribote.core.chip.arithmetic import magnitude, sign
from haribote.core.chip.division import inverse_root, reciprocal
from haribote.core.chip.logic import at_least
from haribote.core.chip.terms import Truth, select
from haribote.core.chip.values import Builder, Value

MAGIC = 1.5 * 2**23
PI_HIGH = 3.1415927410125732
SIN = (2.6057803097501164e-06, -0.00019809602235909551, 0.00833306647837162, -0.16666659712791443)
"""sin(r) = r + r³ p(r²), |r| <= pi / 2: the minimax relative error is 6e-9."""
ATAN = (
    0.0029206459876149893,
    -0.016367744654417038,
    0.04321156442165375,
    -0.07552189379930496,
    0.10665993392467499,
    -0.14211052656173706,
    0.19993773102760315,
    -0.33333152532577515,
)
"""atan(t) = t + t³ p(t²), |t| <= 1: the minimax relative error is 2e-8."""


def _odd(b: Builder, x: Value, coefficients: tuple[float, ...]) -> Value:
    """x + x³ p(x²)."""
    square = b.mul(x, x)
    inner = b.polynomial(square, b.real(coefficients[0]), coefficients[1:])
    return b.fma(b.mul(square, inner), x, x)


def _less_multiple(b: Builder, x: Value, whole: Value) -> Value:
    """x - whole pi."""
    rest = b.fma(whole, b.real(-PI_HIGH), x)
    return b.fma(whole, b.real(PI_HIGH - pi), rest)


def _alternating(b: Builder, x: Value, shifted: Value) -> Value:
    """x, or -x where the whole number that stands at the end of `shifted` is odd."""
    return b.op("ixor", x, b.op("ilsl", shifted, b.bits(31)))


def sine(b: Builder, x: Value) -> Value:
    """(-1)^n sin(x - n pi), n the nearest to x / pi."""
    shifted = b.fma(x, b.real(1 / pi), b.real(MAGIC))
    rest = _less_multiple(b, x, b.add(shifted, b.real(-MAGIC)))
    return _alternating(b, _odd(b, rest, SIN), shifted)


def cosine(b: Builder, x: Value) -> Value:
    """-(-1)^n sin(x - (n + 1/2) pi), n the next below x / pi."""
    below = b.op("ffloor", b.mul(x, b.real(1 / pi)))
    rest = _less_multiple(b, x, b.add(below, b.real(0.5)))
    return _alternating(b, _odd(b, rest, SIN), b.add(below, b.real(MAGIC + 1)))


def arc_tangent(b: Builder, x: Value) -> Value:
    """Of 1 / x and from pi / 2 where |x| is above 1."""
    size = magnitude(b, x)
    large = Truth(None, b.flags(b.op("fmax", size, b.real(1))))
    near = _odd(b, b.op("fmin", size, reciprocal(b, size, positive=True)), ATAN)
    found = select(b, large, b.add(b.neg(near), b.real(pi / 2)), near)
    return b.op("ior", found, sign(b, x))


def tangent(b: Builder, x: Value) -> Value:
    """sin(x) / cos(x)."""
    return b.mul(sine(b, x), reciprocal(b, cosine(b, x)))


def _slope(b: Builder, x: Value) -> Value:
    """1 / sqrt(1 - x²)."""
    return inverse_root(b, b.fma(b.neg(x), x, b.real(1)))


def arc_sine(b: Builder, x: Value) -> Value:
    """atan(x / sqrt(1 - x²))."""
    return arc_tangent(b, b.mul(x, _slope(b, x)))


def arc_cosine(b: Builder, x: Value) -> Value:
    """atan(sqrt(1 - x²) / x), and pi more where x is negative."""
    angle = arc_tangent(b, reciprocal(b, b.mul(x, _slope(b, x))))
    return b.add(angle, select(b, at_least(b, "float", x, b.real(0)), b.real(0), b.real(pi)))
