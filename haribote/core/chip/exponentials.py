"""Floats: e^x and what is made of it."""

from __future__ import annotations

from haribote.core.chip.arithmetic import magnitude, product, sign
from haribote.core.chip.arithmetic import positive as is_positive
from haribote.core.chip.division import reciprocal
from haribote.core.chip.terms import Call, Term, select
from haribote.core.chip.values import Builder, Value

LOG2_E, LN2 = 1.4426950408889634, 0.6931471805599453
LN2_HIGH = 0.693145751953125
"""16 bits of ln 2, so that its products with whole numbers up to 255 are exact."""
MAGIC = 1.5 * 2**23 + 127
"""A sum with it is a whole number; its low bits are that number + 127, the exponent of a power of two."""
EXP = (0.0013814320554956794, 0.00836885068565607, 0.041668400168418884, 0.1666651964187622, 0.4999999403953552, 1.0)
"""e^r = 1 + r p(r), |r| <= ln 2 / 2, highest power first: the minimax relative error of the sum is 4e-9."""


def reduced(b: Builder, x: Value, factor: float = 1, low: float = -88, high: float = 89) -> tuple[Value, Value, Value]:
    """p, r, s with e^(factor x) = s (1 + r p): r is x less a multiple of ln 2 / factor, s a power of two.

    factor: a power of two or its negative, which changes constants only. Outside low to high, e^low and e^high.
    """
    limits = sorted((low / factor, high / factor))
    x = b.op("fmin", b.op("fmax", x, b.real(limits[0])), b.real(limits[1]))
    shifted = b.fma(x, b.real(LOG2_E * factor), b.real(MAGIC))
    whole = b.add(shifted, b.real(-MAGIC))
    power = b.op("ilsl", shifted, b.bits(23))
    rest = b.fma(whole, b.real(-LN2_HIGH / factor), x)
    rest = b.fma(whole, b.real((LN2_HIGH - LN2) / factor), rest)
    first, *others = (c * factor ** (len(EXP) - number) for number, c in enumerate(EXP))
    return b.polynomial(rest, b.real(first), others), rest, power


def exponential(b: Builder, x: Value, factor: float = 1) -> Value:
    """e^(factor x)."""
    p, r, power = reduced(b, x, factor)
    return b.mul(b.fma(p, r, b.real(1)), power)


def exponential_less_1(b: Builder, x: Value, factor: float = 1, high: float = 89) -> Value:
    """e^(factor x) - 1, without cancellation: s (1 + r p) - 1 = s r p + (s - 1)."""
    p, r, power = reduced(b, x, factor, high=high)
    return b.fma(b.mul(p, r), power, b.add(power, b.real(-1)))


def logistic(b: Builder, x: Value) -> Value:
    """1 / (1 + e^-x)."""
    return reciprocal(b, b.add(exponential(b, x, -1), b.real(1)), positive=True)


def hyperbolic_tangent(b: Builder, x: Value) -> Value:
    """t / (t + 2) with t = e^2x - 1."""
    t = exponential_less_1(b, x, 2, high=30)
    return b.mul(t, reciprocal(b, b.add(t, b.real(2)), positive=True))


def swish(call: Call) -> Term:
    """x / (1 + e^-(alpha x))."""
    b, x, alpha = call.b, call.value(), call.attributes.get("alpha", 1.0)
    return Term("float", b.mul(x, logistic(b, x if alpha == 1 else b.mul(x, b.real(alpha)))))


def elu(call: Call) -> Term:
    """x where it is positive, else alpha (e^x - 1); Celu: of x / alpha; Selu: times gamma."""
    b, x = call.b, call.value()
    selu, celu = call.op_type == "Selu", call.op_type == "Celu"
    alpha = call.attributes.get("alpha", 1.6732632 if selu else 1.0)
    gamma = call.attributes.get("gamma", 1.0507010) if selu else 1.0
    below = exponential_less_1(b, product(b, x, b.real(1 / alpha)) if celu else x)
    below = product(b, below, b.real(alpha * gamma))
    return Term("float", select(b, is_positive(b, x), product(b, x, b.real(gamma)), below))


def softsign(b: Builder, x: Value) -> Value:
    """x / (1 + |x|); from 2^60 on that is 1, and above 2^125 there is no inverse."""
    size = b.op("fmin", magnitude(b, x), b.real(2.0**60))
    return b.op("ior", b.mul(size, reciprocal(b, b.add(size, b.real(1)), positive=True)), sign(b, x))


def hyperbolic_sine(b: Builder, x: Value) -> Value:
    """(t + t / (t + 1)) / 2 with t = e^|x| - 1, and the sign of x. t / 2 = u + u² / 2 with u = e^(|x| / 2) - 1, since t
    is too large before sinh(x) is."""
    u = exponential_less_1(b, magnitude(b, x), 0.5)
    half = b.fma(b.mul(u, b.real(0.5)), u, u)
    found = b.fma(half, reciprocal(b, b.fma(half, b.real(2), b.real(1)), positive=True), half)
    return b.op("ior", found, sign(b, x))


def hyperbolic_cosine(b: Builder, x: Value) -> Value:
    """h + 1 / 4 h with h = e^|x| / 2, the half of a square, since e^|x| is too large before cosh(x) is."""
    root = exponential(b, magnitude(b, x), 0.5)
    half = b.mul(b.mul(root, b.real(0.5)), root)
    return b.fma(reciprocal(b, half, positive=True), b.real(0.25), half)


ERF = (
    -4.070810609846376e-05,
    0.0003810017660725862,
    -0.0012517492286860943,
    -0.00020571307686623186,
    0.019321713596582413,
    -0.10281441360712051,
    -0.6366164684295654,
    -1.128379225730896,
)
"""erf(x) = 1 - e^(x p(x)) for x from 0 to 4, where it is 1: the minimax relative error is 4e-8."""


def error_function(b: Builder, x: Value) -> Value:
    """erf(x); e^t - 1 does not cancel where x is small."""
    size = b.op("fmin", magnitude(b, x), b.real(4))
    exponent = b.mul(b.polynomial(size, b.real(ERF[0]), ERF[1:]), size)
    found = exponential_less_1(b, exponent)
    return b.op("ior", magnitude(b, found), sign(b, x))


def gelu(call: Call) -> Term:
    """x (1 + erf(x / sqrt(2))) / 2, or with tanh(sqrt(2/pi) (x + 0.044715 x³))."""
    b, x = call.b, call.value()
    half = b.mul(x, b.real(0.5))
    if call.attributes.get("approximate", b"none") == b"tanh":
        inner = b.fma(b.mul(x, x), b.real(0.044715 * GELU), b.real(GELU))
        return Term("float", b.fma(half, hyperbolic_tangent(b, b.mul(inner, x)), half))
    return Term("float", b.fma(half, error_function(b, b.mul(x, b.real(0.5**0.5))), half))


GELU = 0.7978845608028654
"""sqrt(2 / pi)."""
