"""Exponentials, logarithms, roots and angles without cancellation, and Chebyshev's polynomials."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi
from typing import Any

from haribote.core import notation as n


def expm1(x: Any) -> Any:
    """exp(x) - 1 without cancellation near 0: the error of u = exp(x) is divided out (Kahan)."""
    u = n.exp(x)
    rest = u - 1
    plain = n.either(n.equal(rest, -1), n.equal(u, inf))
    near = rest * (x / n.log(n.where(n.either(plain, n.equal(u, 1)), 2.0, u)))
    return n.where(n.equal(u, 1), x, n.where(plain, rest, near))


def log1p(x: Any) -> Any:
    """log(1 + x) without cancellation near 0; what is large is 1 + x itself."""
    u = 1 + x
    rest, large = u - 1, x > 2**24
    log = n.log(u)
    near = log * (n.where(large, 1.0, x) / n.where(n.either(large, n.equal(rest, 0)), 1.0, rest))
    return n.where(n.equal(rest, 0), x, near)


def cbrt(x: Any) -> Any:
    """The cube root, with the sign of x."""
    return n.sign(x) * n.power(n.absolute(x), 1 / 3)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), from -pi to pi; signs of zeros are not told apart."""
    y, x, _ = _smaller(y, x)
    steep = n.absolute(y) > n.absolute(x)
    below = n.where(steep, y, x)
    angle = n.atan(n.where(steep, x, y) / n.where(n.equal(below, 0), 1.0, below))
    quarter = n.where(y > 0, pi / 2, -pi / 2) - angle
    half = angle + n.where(x < 0, n.where(y < 0, -pi, pi), 0.0)
    return n.where(steep, quarter, half)


def hypot(x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2) where the squares would be too large or too small."""
    infinite = n.either(n.equal(n.absolute(x), inf), n.equal(n.absolute(y), inf))
    x, y, factor = _smaller(x, y)
    largest = n.maximum(n.absolute(x), n.absolute(y))
    scale = n.where(n.equal(largest, 0), 1.0, largest)
    one, other = x / scale, y / scale
    found = scale * n.sqrt(one * one + other * other) / factor
    return n.where(infinite, inf, n.where(n.equal(largest, 0), largest, found))


def _smaller(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Both times a power of two where one is so large that the chip's quotient by it is 0; and that power."""
    factor = n.where(n.maximum(n.absolute(x), n.absolute(y)) > 2.0**100, 2.0**-30, 1.0)
    return x * factor, y * factor, factor


def _angle(x: Any) -> tuple[Any, Any, Any]:
    """Whether x, at least 0, is below 1; its angle there; what takes the angle's place beyond."""
    return x < 1, n.acos(n.minimum(x, 1.0)), n.acosh(n.maximum(x, 1.0))


def _ratio(x: Any, upper: Any, lower: Any, at_1: Any) -> Any:
    """sin(upper angle) / sin(lower angle), with hyperbolic sines beyond 1."""
    inside, angle, beyond = _angle(x)
    edge = n.equal(x, 1)
    found = n.where(inside, n.sin(upper * angle), n.sinh(upper * beyond))
    below = n.where(inside, n.sin(lower * angle), n.sinh(lower * beyond))
    return n.where(edge, at_1, found / n.where(edge, 1.0, below))


def _first(x: Any, k: Any) -> Any:
    inside, angle, beyond = _angle(x)
    return n.where(inside, n.cos(k * angle), n.cosh(k * beyond))


def _second(x: Any, k: Any) -> Any:
    return _ratio(x, k + 1, 1.0, k + 1)


def _third(x: Any, k: Any) -> Any:
    inside, angle, beyond = _angle(x)
    upper = n.where(inside, n.cos((k + 0.5) * angle), n.cosh((k + 0.5) * beyond))
    return upper / n.where(inside, n.cos(angle * 0.5), n.cosh(beyond * 0.5))


def _fourth(x: Any, k: Any) -> Any:
    return _ratio(x, k + 0.5, 0.5, 2 * k + 1)


KINDS = {"t": (_first, _first), "u": (_second, _second), "v": (_third, _fourth), "w": (_fourth, _third)}
"""Chebyshev's polynomials by their letters, of |x|: where x is positive, and where it is negative."""


def chebyshev(kind: str, shifted: bool = False) -> Callable[[Any, Any], Any]:
    """The polynomial of x and its number, by angles; shifted: from 0 to 1. 0 where the number is negative."""
    positive, negative = KINDS[kind]

    def value(x: Any, number: Any) -> Any:
        x = 2 * x - 1 if shifted else x
        k = n.floor(n.maximum(number, 0.0))
        half = k * 0.5
        odd = n.equal(half - n.floor(half), 0.5)
        size = n.absolute(x)
        below = negative(size, k)
        found = n.where(x < 0, n.where(odd, -below, below), positive(size, k))
        return n.where(number > -1, found, 0.0)

    return value
