"""Floats: division, roots, exponentials, logarithms and what is made of them."""

from __future__ import annotations

from haribote.stack.vectors.arithmetic import magnitude, product, sign
from haribote.stack.vectors.arithmetic import positive as is_positive
from haribote.stack.vectors.logic import float_of
from haribote.stack.vectors.terms import Call, Term, Truth, real, rule, select
from haribote.stack.vectors.values import MSB, Builder, Value

# --- division and roots ----------------------------------------------------------------------------------------------


def reciprocal(b: Builder, x: Value, positive: bool = False) -> Value:
    """1 / x. rsqrt² is within 6.3 %; a cubic step makes that 2.5e-4, Newton's step 6e-8. positive: x is known to be."""
    size, one = x if positive else magnitude(b, x), b.real(1)
    root = b.op("frsqrt", x)
    guess = b.mul(root, root)
    error = b.fma(b.neg(size), guess, one)
    better = b.fma(b.fma(error, error, error), guess, guess)
    signed = better if positive else b.op("ior", better, sign(b, x))
    return b.fma(b.fma(b.neg(size), better, one), signed, signed)


@rule("Reciprocal")
def reciprocals(call: Call) -> Term:
    """1 / x."""
    return Term("float", reciprocal(call.b, call.value()))


@rule("Div")
def div(call: Call) -> Term:
    """x (1 / y)."""
    b, divisor = call.b, call.term(1).number
    if divisor:
        return Term("float", b.mul(call.value(), b.real(1 / divisor)))
    inverse = reciprocal(b, call.value(1))
    return Term("float", inverse if call.value() is b.real(1) else b.mul(call.value(), inverse))


def roots(b: Builder, x: Value) -> tuple[Value, Value]:
    """Approximations of sqrt(x) and 1 / sqrt(x), within 1e-4: rsqrt is within 3.2 %, a cubic step improves it."""
    guess = b.op("frsqrt", x)
    root = b.mul(x, guess)
    error = b.fma(b.neg(root), guess, b.real(1))
    share = b.mul(b.fma(error, b.real(0.375), b.real(0.5)), error)
    return b.fma(share, root, root), b.fma(share, guess, guess)


def square_root(b: Builder, x: Value) -> Value:
    """sqrt(x); Newton's step on the root: s + s (1 - s / sqrt(x)) / 2."""
    root, inverse = roots(b, x)
    error = b.fma(b.neg(root), inverse, b.real(1))
    return b.fma(error, b.op("flrelud", MSB, root), root)


rule("Sqrt")(real(square_root))


def inverse_root(b: Builder, x: Value) -> Value:
    """1 / sqrt(x)."""
    _, inverse = roots(b, x)
    error = b.fma(b.neg(b.mul(x, inverse)), inverse, b.real(1))
    return b.fma(b.mul(error, inverse), b.real(0.5), inverse)


# --- exponentials ----------------------------------------------------------------------------------------------------

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


rule("Exp")(real(exponential))
rule("Sigmoid")(real(logistic))
rule("Tanh")(real(hyperbolic_tangent))


@rule("Swish")
def swish(call: Call) -> Term:
    """x / (1 + e^-(alpha x))."""
    b, x, alpha = call.b, call.value(), call.attributes.get("alpha", 1.0)
    return Term("float", b.mul(x, logistic(b, x if alpha == 1 else b.mul(x, b.real(alpha)))))


@rule("Elu Celu Selu")
def elu(call: Call) -> Term:
    """x where it is positive, else alpha (e^x - 1); Celu: of x / alpha; Selu: times gamma."""
    b, x = call.b, call.value()
    selu, celu = call.op_type == "Selu", call.op_type == "Celu"
    alpha = call.attributes.get("alpha", 1.6732632 if selu else 1.0)
    gamma = call.attributes.get("gamma", 1.0507010) if selu else 1.0
    below = exponential_less_1(b, product(b, x, b.real(1 / alpha)) if celu else x)
    below = product(b, below, b.real(alpha * gamma))
    return Term("float", select(b, is_positive(b, x), product(b, x, b.real(gamma)), below))


@rule("Softsign")
def softsign(call: Call) -> Term:
    """x / (1 + |x|)."""
    b, x = call.b, call.value()
    return Term("float", b.mul(x, reciprocal(b, b.add(magnitude(b, x), b.real(1)), positive=True)))


# --- logarithms ------------------------------------------------------------------------------------------------------

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


def log_near_1(b: Builder, f: Value) -> Value:
    """log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1."""
    inner = b.polynomial(f, b.real(LOG[0]), LOG[1:])
    return b.fma(b.fma(inner, f, b.real(-0.5)), b.mul(f, f), f)


def logarithm(b: Builder, x: Value) -> Value:
    """log(x): x = 2^k m with m from sqrt(1/2) to sqrt(2); -inf for what is not above 0."""
    above = b.op("isub", x, b.bits(ROOT_HALF))
    m = b.op("iadd", b.op("iand", above, b.bits(0x007FFFFF)), b.bits(ROOT_HALF))
    whole = b.op("iadd", b.op("ilsr", above, b.bits(23)), b.bits(0x4B400000))
    k = b.add(whole, b.real(-1.5 * 2**23))
    near = log_near_1(b, b.add(m, b.real(-1)))
    return select(b, is_positive(b, x), b.fma(k, b.real(LN2), near), b.real(float("-inf")))


rule("Log")(real(logarithm))


@rule("Softplus")
def softplus(call: Call) -> Term:
    """max(x, 0) + log(1 + u), u = e^-|x|. Above sqrt(2) - 1, 1 + u = 2 (1 + f) with f = (u - 1) / 2, else f = u."""
    b, x = call.b, call.value()
    u = exponential(b, b.op("ior", MSB, x))
    limit = b.real(2**0.5 - 1)
    large = Truth(None, b.flags(b.op("fmax", u, limit)))
    f = select(b, large, b.fma(u, b.real(0.5), b.real(-0.5)), u)
    near = b.add(log_near_1(b, f), select(b, large, b.real(LN2), b.real(0)))
    return Term("float", b.add(b.op("fmax", x, b.real(0)), near))


# --- powers ----------------------------------------------------------------------------------------------------------


@rule("Pow")
def power(call: Call) -> Term:
    """x^y: products for whole constants up to 8, roots for halves, else e^(y log x), for x not below 0."""
    b, x, exponent = call.b, call.value(), call.term(1).number
    if exponent is not None and 2 * abs(exponent) == int(2 * abs(exponent)) and abs(exponent) <= 8:
        return Term("float", _known_power(b, x, float(exponent)))
    y = call.term(1).value(b) if call.term(1).kind == "float" else float_of(b, call.value(1))
    return Term("float", exponential(b, b.mul(logarithm(b, x), y)))


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
