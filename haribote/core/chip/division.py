"""Floats: division and roots, from the table of rsqrt by Newton's method."""

from __future__ import annotations

from math import frexp, inf

from haribote.core.chip.arithmetic import magnitude, sign
from haribote.core.chip.logic import at_least
from haribote.core.chip.terms import Call, Term, select
from haribote.core.chip.values import MSB, Builder, Value
from haribote.errors import UnsupportedOp
from simulator.messages import tr


def reciprocal(b: Builder, x: Value, positive: bool = False) -> Value:
    """1 / x. rsqrt² is within 6.3 %; a cubic step makes that 2.5e-4, Newton's step 6e-8. positive: x is known to be."""
    size, one = x if positive else magnitude(b, x), b.real(1)
    root = b.op("frsqrt", x)
    guess = b.mul(root, root)
    error = b.fma(b.neg(size), guess, one)
    better = b.fma(b.fma(error, error, error), guess, guess)
    signed = better if positive else b.op("ior", better, sign(b, x))
    return b.fma(b.fma(b.neg(size), better, one), signed, signed)


def div(call: Call) -> Term:
    """x (1 / y); by a constant whose inverse is not exact, with the last bit right."""
    b, x, divisor = call.b, call.value(), call.term(1).number
    if divisor:
        found = b.quotient(x, b.real(divisor), b.real(1 / divisor))
        return Term("float", found if abs(frexp(divisor)[0]) == 0.5 else b.nearest(found))
    inverse = reciprocal(b, call.value(1))
    return Term("float", inverse if x is b.real(1) else b.quotient(x, call.value(1), inverse))


def roots(b: Builder, x: Value) -> tuple[Value, Value]:
    """Approximations of sqrt(x) and 1 / sqrt(x), within 1e-4: rsqrt is within 3.2 %, a cubic step improves it."""
    guess = b.op("frsqrt", x)
    root = b.mul(x, guess)
    error = b.fma(b.neg(root), guess, b.real(1))
    share = b.mul(b.fma(error, b.real(0.375), b.real(0.5)), error)
    return b.fma(share, root, root), b.fma(share, guess, guess)


def square_root(b: Builder, x: Value) -> Value:
    """sqrt(x), of inf inf; Newton's step on the root: s + s (1 - s / sqrt(x)) / 2."""
    root, inverse = roots(b, x)
    error = b.fma(b.neg(root), inverse, b.real(1))
    return or_infinite(b, x, b.fma(error, b.op("flrelud", MSB, root), root))


def or_infinite(b: Builder, x: Value, found: Value) -> Value:
    """What was found, or inf where x is inf."""
    return select(b, at_least(b, "float", x, b.real(inf)), b.real(inf), found)


def inverse_root(b: Builder, x: Value) -> Value:
    """1 / sqrt(x)."""
    _, inverse = roots(b, x)
    error = b.fma(b.neg(b.mul(x, inverse)), inverse, b.real(1))
    return b.fma(b.mul(error, inverse), b.real(0.5), inverse)


def remainder(call: Call) -> Term:
    """x - y trunc(x / y) of magnitudes, and the sign of x; one more or less y where the quotient was rounded."""
    b, x, y = call.b, call.value(0), magnitude(call.b, call.value(1))
    if not call.attributes.get("fmod", 0):
        raise UnsupportedOp(tr("Mod of floats is that of C, fmod = 1"), "fmod = 1")
    size = magnitude(b, x)
    whole = b.op("ffloor", b.mul(size, reciprocal(b, y, positive=True)))
    rest = b.fma(b.neg(whole), y, size)
    rest = b.add(rest, select(b, at_least(b, "float", rest, b.real(0)), b.real(0), y))
    less = b.add(rest, b.neg(y))
    rest = select(b, at_least(b, "float", less, b.real(0)), less, rest)
    return Term("float", b.op("ior", rest, sign(b, x)))
