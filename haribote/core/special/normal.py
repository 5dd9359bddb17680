"""The error function's relatives, and what belongs to the normal distribution."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any

from haribote.core import notation as n
from haribote.core.special.plain import log1p

# fmt: off
COMPLEMENT = (
    0.15600770121864152, -0.7404474851433832, 1.2951183872933683, -0.8774998016083981, 0.0668377645150859,
    -0.0751989210797645, 0.05995633985866467, 0.38148854750655686, 0.9992130579942554, -1.2654755341859616,
)
"""log(erfc(x) / t) + x^2 as a polynomial in t = 1 / (1 + x / 2): a minimax fit for x of at least 0 of our own, at most
5.8e-8 off.
"""
INVERSE_NEAR = (
    -3.40725928e-05, 3.56078599e-05, 0.000285724702, -0.000845699513, -0.000485587865, 0.00852927286, -0.0195738506,
    -0.0261087064, 0.616600692, 1.50140941,
)
"""The inverse of erf over its argument x, of w / 2.5 - 1 where w = -log(1 - x^2) is from 0 to 5."""
INVERSE_FAR = (
    -0.000131714958, -4.38776478e-05, 0.000551178819, 0.000271155208, -0.00101069873, -0.000831654645, 0.000787400873,
    0.00176952081, 0.000525779615, 0.00282727298, 0.00367587153, -0.0330411345, 0.954714954,
)
"""The same over x sqrt(w), of 1 / sqrt(w), moved from FAR to -1 and 1."""
# fmt: on
FAR = 1 / 9.5, 1 / sqrt(5) + 1e-3
NEAR_0 = 0.5
"""Below, erfc is 1 - erf, which loses nothing there."""


def _scaled(size: Any) -> Any:
    """exp(x^2) erfc(x) of what is at least 0."""
    t = 1 / (1 + size * 0.5)
    return t * n.exp(n.polynomial(t, COMPLEMENT))


def erfc(x: Any) -> Any:
    """1 - erf(x) without cancellation where erf is near 1."""
    size = n.absolute(x)
    t = 1 / (1 + size * 0.5)
    far = t * n.exp(n.polynomial(t, COMPLEMENT) - size * size)
    return n.where(x < NEAR_0, n.where(x > -NEAR_0, 1 - n.erf(x), 2 - far), far)


def erfcx(x: Any) -> Any:
    """exp(x^2) erfc(x)."""
    found = _scaled(n.absolute(x))
    return n.where(x < 0, 2 * n.exp(x * x) - found, found)


def _inverse(x: Any, product: Any) -> Any:
    """The inverse of erf. product: 1 - x^2."""
    w = -n.log(product)
    root = n.sqrt(n.maximum(w, 5.0))
    middle, half = (FAR[0] + FAR[1]) / 2, (FAR[1] - FAR[0]) / 2
    far = root * n.polynomial((1 / root - middle) * (1 / half), INVERSE_FAR)
    return x * n.where(w < 5, n.polynomial(n.minimum(w, 5.0) * 0.4 - 1, INVERSE_NEAR), far)


def erf_inv(x: Any) -> Any:
    """The inverse of erf: infinite at 1 and -1, NaN beyond."""
    size = n.absolute(x)
    product = (1 - x) * (1 + x)
    found = _inverse(x, n.where(product > 0, product, 1.0))
    edge = n.where(x < 0, -inf, inf)
    return n.where(size < 1, found, n.where(n.equal(size, 1), edge, nan))


def ndtri(p: Any) -> Any:
    """The number below which a share p of the normal distribution lies."""
    product = 4 * p * (1 - p)
    inside = product > 0
    found = sqrt(2) * _inverse(2 * p - 1, n.where(inside, product, 1.0))
    edge = n.where(n.equal(p, 0), -inf, n.where(n.equal(p, 1), inf, nan))
    return n.where(inside, found, edge)


def log_ndtr(x: Any) -> Any:
    """The logarithm of the share of the normal distribution that lies below x."""
    below = n.log(_scaled(n.absolute(x) * sqrt(0.5)) * 0.5) - x * x * 0.5
    return n.where(x < -1, below, log1p(-0.5 * erfc(n.maximum(x, -1.0) * sqrt(0.5))))
