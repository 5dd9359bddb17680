"""Bessel's and Airy's functions: polynomials near 0, and beyond an amplitude and a phase.

The polynomials are interpolations of ours at Chebyshev's nodes, of t from -1 to 1 over the stretch that is named,
within 4e-8 of the largest value there.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan, pi, sqrt
from typing import Any

from haribote.core import notation as n

# fmt: off
I0_NEAR = (  # exp(-x) I0(x), 0 to 8
    0.00189432222, -0.00436732545, 0.0015755574, -0.00171341829, 0.0139645487, -0.0246937722, 0.0290835295,
    -0.0402424037, 0.057111863, -0.0703820363, 0.0792213008, -0.084827818, 0.0873472989, -0.0890531987, 0.0945155472,
    -0.113004126, 0.207001925,
)
I0_FAR = (  # exp(-x) I0(x) sqrt(x) of 8 / x, 0 to 1
    3.54761994e-07, 1.63903985e-06, 1.11221561e-05, 0.000136156159, 0.00336055318, 0.402176499,
)
I1_NEAR = (  # exp(-x) I1(x) / x, 0 to 8
    -0.000697357755, 0.001638129, -0.000894383236, 0.00137359928, -0.00610856153, 0.0110439565, -0.0152943283,
    0.022979755, -0.0337431096, 0.0448578075, -0.0552709736, 0.0637442395, -0.0684830397, 0.0680587068, -0.061124336,
    0.0446876995,
)
I1_FAR = (  # exp(-x) I1(x) sqrt(x) of 8 / x, 0 to 1
    -4.12091367e-07, -2.00963723e-06, -1.50152755e-05, -0.000219168272, -0.00974957831, 0.389398456,
)
K0_NEAR = (  # K0(x) + log(x / 2) I0(x) of x^2, 0 to 4
    4.05550009e-06, 0.000182896969, 0.00505339215, 0.0717769787, 0.340497315, -0.303620785,
)
K0_FAR = (  # exp(x) K0(x) sqrt(x) of 2 / x, 0 to 1
    -2.87407124e-06, 8.84235578e-06, -2.42771894e-05, 9.83348291e-05, -0.000479863258, 0.00303314324, -0.031071458,
    1.21859539,
)
K1_NEAR = (  # x (K1(x) - log(x / 2) I1(x)) of x^2, 0 to 4
    -3.89322413e-05, -0.00138423115, -0.0278542303, -0.243838131, -0.332240969, 0.885088265,
)
K1_FAR = (  # exp(x) K1(x) sqrt(x) of 2 / x, 0 to 1
    3.54533063e-06, -1.11928648e-05, 3.2297954e-05, -0.000138106363, 0.000735836336, -0.00556703424, 0.103349738,
    1.36315191,
)
J0_NEAR = (  # of x^2, 0 to 64
    3.89136112e-05, -0.000451057917, 0.00405763788, -0.0284651946, 0.145989046, -0.507471323, 1.03837943, -0.808088243,
    -0.648469269, 0.930301189, 0.0458296649,
)
J1_NEAR = (  # J1(x) / x of x^2, 0 to 64
    -2.43461236e-05, 0.000254191895, -0.00202877633, 0.0124526974, -0.0547459126, 0.158585235, -0.259594858,
    0.151516467, 0.0810586587, -0.0581438243,
)
Y0_NEAR = (  # Y0(x) - 2 / pi log(x) J0(x) of x^2, 0 to 64
    -7.36839429e-05, 0.000820871326, -0.00702485163, 0.0463523082, -0.218957856, 0.672183514, -1.07754767, 0.144125164,
    1.64709651, -0.828435838, -0.382250667,
)
Y1_NEAR = (  # (Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x of x^2, 0 to 64
    4.52712702e-05, -0.000452867098, 0.00342192408, -0.0196205974, 0.0785472617, -0.196399391, 0.235069737,
    0.0233689547, -0.24337697, 0.0707594678,
)
P0 = (-2.06508545e-07, 6.15034651e-06, -0.000536366599, 0.9994573)  # of 64 / x^2, 0 to 1, as are the next three
Q0 = (-4.63348186e-08, 5.75107094e-07, -1.18168364e-05, 0.00054664968, -0.124440908)
P1 = (2.46751881e-07, -7.97454049e-06, 0.000898803875, 1.00090706)
Q1 = (-6.69211147e-07, 1.46216971e-05, -0.000769715174, 0.374214977)
AIRY_NEAR = (  # -2.5 to 2
    -0.000509860518, -0.000149119485, 0.00546930777, -0.00727160973, -0.0156645831, 0.0613420196, -0.0507072508,
    -0.129241541, 0.367238343, -0.208533317, -0.49827686, 0.911853611, -0.264974177, -0.55437547, 0.418724626,
)
AIRY_RIGHT = (  # exp(r) Ai(x) 2 sqrt(pi) x^(1/4) of 1 / r = 1.5 / x^1.5, 0 to 0.54
    4.77465846e-06, -1.57097984e-05, 5.04069103e-05, -0.00023547899, 0.00145244086, -0.014827814, 0.983413279,
)
AIRY_SINE = (  # of 1 / r, 0.001 to 0.3796; with the next one: Ai(-x) sqrt(pi) x^(1/4) as a sine and a cosine
    2.99738394e-06, -9.92825517e-06, 1.63925029e-06, 0.000157627757, -0.00100964645, -0.00243226369, 0.998720407,
)
AIRY_COSINE = (
    5.64558661e-07, -5.15189413e-07, -2.69552584e-06, 8.83492885e-06, -1.31741517e-05, -2.0657124e-05, 0.000241493908,
    -0.00079821382, -0.0022894335, 0.0681917146,
)
# fmt: on


def _over(x: Any, low: float, high: float, coefficients: Sequence[float]) -> Any:
    """A polynomial over a stretch."""
    return n.polynomial((x - (low + high) / 2) * (2 / (high - low)), coefficients)


def _signed(value: Any, x: Any) -> Any:
    """The value of an odd function: that of |x| with the sign of x."""
    return n.where(x < 0, -value, value)


def i0e(x: Any) -> Any:
    """exp(-|x|) times the modified Bessel function I0."""
    size = n.absolute(x)
    far = n.maximum(size, 8.0)
    beyond = _over(8 / far, 0, 1, I0_FAR) / n.sqrt(far)
    return n.where(size < 8, _over(n.minimum(size, 8.0), 0, 8, I0_NEAR), beyond)


def i1e(x: Any) -> Any:
    """exp(-|x|) times the modified Bessel function I1."""
    size = n.absolute(x)
    far = n.maximum(size, 8.0)
    beyond = _over(8 / far, 0, 1, I1_FAR) / n.sqrt(far)
    return _signed(n.where(size < 8, size * _over(n.minimum(size, 8.0), 0, 8, I1_NEAR), beyond), x)


def i0(x: Any) -> Any:
    """The modified Bessel function of the first kind, of order 0."""
    return n.exp(n.absolute(x)) * i0e(x)


def i1(x: Any) -> Any:
    """Of order 1."""
    return n.exp(n.absolute(x)) * i1e(x)


def k0(x: Any, scaled: bool = False) -> Any:
    """The modified Bessel function of the second kind, of order 0; NaN below 0. scaled: times exp(x)."""
    low = n.maximum(n.minimum(x, 2.0), 1e-30)
    near = _over(low * low, 0, 4, K0_NEAR) - n.log(low * 0.5) * i0(low)
    return _second(x, near, K0_FAR, scaled)


def k1(x: Any, scaled: bool = False) -> Any:
    """Of order 1."""
    low = n.maximum(n.minimum(x, 2.0), 1e-30)
    near = _over(low * low, 0, 4, K1_NEAR) / low + n.log(low * 0.5) * i1(low)
    return _second(x, near, K1_FAR, scaled)


def _second(x: Any, near: Any, coefficients: Sequence[float], scaled: bool) -> Any:
    """K below 2, which is near, and beyond, by a polynomial of exp(x) K(x) sqrt(x)."""
    top = n.maximum(x, 2.0)
    far = _over(2 / top, 0, 1, coefficients) / n.sqrt(top)
    near, far = (near * n.exp(n.minimum(x, 2.0)), far) if scaled else (near, far * n.exp(-top))
    return n.where(x < 0, nan, n.where(n.equal(x, 0), inf, n.where(x < 2, near, far)))


def j0(x: Any) -> Any:
    """The Bessel function of the first kind, of order 0."""
    size = n.absolute(x)
    low = n.minimum(size, 8.0)
    return n.where(size < 8, _over(low * low, 0, 64, J0_NEAR), _wave(size, P0, Q0, pi / 4)[0])


def j1(x: Any) -> Any:
    """Of order 1."""
    size = n.absolute(x)
    low = n.minimum(size, 8.0)
    found = n.where(size < 8, low * _over(low * low, 0, 64, J1_NEAR), _wave(size, P1, Q1, 3 * pi / 4)[0])
    return _signed(found, x)


def y0(x: Any) -> Any:
    """The Bessel function of the second kind, of order 0; NaN below 0."""
    low = n.maximum(n.minimum(x, 8.0), 1e-30)
    square = low * low
    near = _over(square, 0, 64, Y0_NEAR) + (2 / pi) * n.log(low) * _over(square, 0, 64, J0_NEAR)
    return _from_0(x, n.where(x < 8, near, _wave(x, P0, Q0, pi / 4)[1]))


def y1(x: Any) -> Any:
    """Of order 1."""
    low = n.maximum(n.minimum(x, 8.0), 1e-30)
    square = low * low
    first = low * _over(square, 0, 64, J1_NEAR)
    near = low * _over(square, 0, 64, Y1_NEAR) + (2 / pi) * (n.log(low) * first - 1 / low)
    return _from_0(x, n.where(x < 8, near, _wave(x, P1, Q1, 3 * pi / 4)[1]))


def _from_0(x: Any, found: Any) -> Any:
    return n.where(x < 0, nan, n.where(n.equal(x, 0), -inf, found))


def _wave(x: Any, p: Sequence[float], q: Sequence[float], phase: float) -> tuple[Any, Any]:
    """J and Y of what is at least 8, as Hankel's waves."""
    far = n.maximum(x, 8.0)
    inverse = 8 / far
    square = inverse * inverse
    one, other = _over(square, 0, 1, p), _over(square, 0, 1, q) / far
    cosine, sine, size = n.cos(far - phase), n.sin(far - phase), sqrt(2 / pi) / n.sqrt(far)
    return size * (one * cosine - other * sine), size * (one * sine + other * cosine)


def airy(x: Any) -> Any:
    """Airy's function Ai."""
    near = _over(n.maximum(n.minimum(x, 2.0), -2.5), -2.5, 2, AIRY_NEAR)
    size = n.maximum(n.absolute(x), 2.0)
    root = n.sqrt(size)
    r = (2 / 3) * size * root
    fourth = n.sqrt(root)
    right = n.exp(-r) * _over(1 / r, 0, 0.54, AIRY_RIGHT) / (2 * sqrt(pi) * fourth)
    inverse = n.minimum(1 / r, 0.3796)
    sine = n.sin(r + pi / 4) * _over(inverse, 0.001, 0.3796, AIRY_SINE)
    cosine = n.cos(r + pi / 4) * inverse * _over(inverse, 0.001, 0.3796, AIRY_COSINE)
    left = (sine - cosine) / (sqrt(pi) * fourth)
    return n.where(x < -2.5, left, n.where(x < 2, near, right))


def spherical_j0(x: Any) -> Any:
    """sin(x) / x."""
    square = x * x
    near = n.polynomial(square, (-1 / 5040, 1 / 120, -1 / 6, 1.0))
    is_near = square < 0.25
    return n.where(is_near, near, n.where(square < inf, n.sin(x) / n.where(is_near, 1.0, x), 0.0))
