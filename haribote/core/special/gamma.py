"""The gamma function's logarithm and its derivatives: Stirling's series where the argument is large enough."""

from __future__ import annotations

from math import factorial, inf, log, nan, pi
from typing import Any

from haribote.core import notation as n

SHIFT = 6
"""Smaller arguments are moved up by so much, by the recurrence: there the series are exact to single precision."""
TERMS = 9
"""Of the zeta function's sum before its tail is taken from the Euler-Maclaurin formula."""


def _shifted(x: Any) -> tuple[Any, Any]:
    """Whether x, which is positive, is small, and where the series is taken."""
    small = x < SHIFT
    return small, n.where(small, x + SHIFT, x)


def lgamma(x: Any) -> Any:
    """log |gamma(x)|; below 0 by the reflection formula."""
    negative = x < 0
    y = n.where(negative, 1 - x, x)
    small, z = _shifted(y)
    product = y
    for k in range(1, SHIFT):
        product = product * (y + k)
    inverse = 1 / z
    square = inverse * inverse
    series = inverse * n.polynomial(square, (1 / 1260, -1 / 360, 1 / 12))
    found = (z - 0.5) * (n.log(z) - 1) + 0.5 * (log(2 * pi) - 1) + series
    found = found - n.where(small, n.log(n.where(small, product, 1.0)), 0.0)
    part = x - n.floor(x)
    reflected = log(pi) - n.log(n.sin(part * pi)) - found
    return n.where(_is_pole(x, part), inf, n.where(negative, reflected, found))


def _is_pole(x: Any, part: Any) -> Any:
    """Whether x is 0 or a negative whole number; what is below 2^-126 is 0 on the chip. part: x - floor(x)."""
    return n.both(x < 2.0**-126, n.equal(part, 0))


def digamma(x: Any) -> Any:
    """The derivative of lgamma."""
    negative = x < 0
    y = n.where(negative, 1 - x, x)
    small, z = _shifted(y)
    total = 1 / y
    for k in range(1, SHIFT):
        total = total + 1 / (y + k)
    inverse = 1 / z
    square = inverse * inverse
    found = n.log(z) - 0.5 * inverse - square * n.polynomial(square, (1 / 252, -1 / 120, 1 / 12))
    found = found - n.where(small, total, 0.0)
    part = x - n.floor(x)
    reflected = found - pi * n.cos(part * pi) / n.sin(part * pi)
    found = n.where(negative, n.where(n.equal(part, 0), nan, reflected), found)
    return n.where(n.equal(x, 0), -inf, found)


def polygamma(x: Any, order: int) -> Any:
    """The derivative of digamma, so many times."""
    if order == 0:
        return digamma(x)
    return (-1) ** (order + 1) * factorial(order) * _hurwitz(x, order + 1.0, lambda y: _inverse_power(y, order + 1))


def _inverse_power(x: Any, exponent: int) -> Any:
    inverse = 1 / x
    found = inverse
    for _ in range(exponent - 1):
        found = found * inverse
    return found


def zeta(s: Any, q: Any) -> Any:
    """The Hurwitz zeta function: the sum of (q + k)^-s. Where s is below 1, or q below 0 and s not whole, NaN."""
    half = 0.5 * s
    odd = n.equal(half - n.floor(half), 0.5)
    found = _hurwitz(q, s, lambda y: n.power(y, -s), n.where(odd, -1.0, 1.0))
    whole = n.equal(s, n.floor(s))
    pole = _is_pole(q, q - n.floor(q))
    found = n.where(pole, inf, n.where(n.either(whole, n.equal(q, n.maximum(q, 0.0))), found, nan))
    return n.where(n.equal(s, 1), inf, n.where(s < 1, nan, found))


def _hurwitz(q: Any, s: Any, power: Any, sign: Any = None) -> Any:
    """The sum of power(q + k) = (q + k)^-s, s above 1. sign: (-1)^s.

    Below 0 the terms before the sign changes are those of two other sums, each of which is of positive numbers.
    """
    sign = (-1.0) ** s if sign is None else sign
    part = q - n.floor(q)
    negative = q < 0
    upper = _sum(n.where(negative, part, q), s, power)
    lower = _sum(1 - part, s, power) - _sum(n.where(negative, 1 - q, 1.0), s, power)
    found = n.where(negative, upper + sign * lower, upper)
    return n.where(_is_pole(q, part), inf, n.where(n.equal(q, inf), 0.0, found))


def _sum(a: Any, s: Any, power: Any) -> Any:
    """The sum of power(a + k) from a positive number on."""
    total = power(a)
    for k in range(1, TERMS):
        total = total + power(a + k)
    beyond = a + TERMS
    last, square = power(beyond), 1 / (beyond * beyond)
    rest = (
        beyond / (s - 1)
        + 0.5
        + s / (12 * beyond) * (1 - square * (s + 1) * (s + 2) / 60 * (1 - square * (s + 3) * (s + 4) / 42))
    )
    return total + last * rest
