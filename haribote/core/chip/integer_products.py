"""Integers of 32 bits: products, quotients and remainders, by way of floats that hold parts of them exactly."""

from __future__ import annotations

from haribote.core.chip.division import reciprocal
from haribote.core.chip.logic import float_of_unsigned
from haribote.core.chip.terms import Call, Term, Truth, select
from haribote.core.chip.values import Builder, Value
from haribote.errors import UnsupportedOp
from simulator.messages import tr

WHOLE = 2.0**23
"""A sum with it has a whole number below 2^23 as its low bits."""
WHOLE_BITS = 0x4B000000


def _parts(b: Builder, x: Value) -> list[Value]:
    """Bits 0 to 10, 11 to 21 and 22 to 31 as floats."""
    if x.op == "const":
        word = int(x.key)
        return [b.real(float(part)) for part in (word & 0x7FF, word >> 11 & 0x7FF, word >> 22)]
    cut = [x, b.op("uilsr", x, b.bits(11)), b.op("uilsr", x, b.bits(22))]
    low = [b.op("iand", part, b.bits(0x7FF)) for part in cut[:2]]
    return [b.add(b.op("ior", part, b.bits(WHOLE_BITS)), b.real(-WHOLE)) for part in (*low, cut[2])]


def multiply(b: Builder, x: Value, y: Value) -> Value:
    """x * y modulo 2^32. The sums of products that belong to one power of two are below 2^23."""
    if x.op == "const":
        x, y = y, x
    if y.op == "const" and int(y.key) & (int(y.key) - 1) == 0:
        shift = int(y.key).bit_length() - 1
        return y if shift < 0 else x if shift == 0 else b.op("ilsl", x, b.bits(shift))
    (p, q, r), (s, t, u) = _parts(b, x), _parts(b, y)
    low = b.fma(p, s, b.real(WHOLE))
    middle = b.fma(p, t, b.fma(q, s, b.real(WHOLE)))
    high = b.fma(p, u, b.fma(q, t, b.fma(r, s, b.real(WHOLE))))
    upper = b.op("iadd", b.op("ilsl", middle, b.bits(11)), b.op("ilsl", high, b.bits(22)))
    return b.op("iadd", b.op("isub", low, b.bits(WHOLE_BITS)), upper)


def product(call: Call) -> Term:
    """Modulo 2^32."""
    return Term(call.kind, multiply(call.b, call.value(0), call.value(1)))


def power(call: Call) -> Term:
    """By a constant from 1 to 16."""
    b, exponent = call.b, call.term(1).number
    if exponent is None or exponent not in range(1, 17):
        raise UnsupportedOp(tr("a power of integers has a constant exponent from 1 to 16"), tr("floats"))
    found: Value | None = None
    square, left = call.value(), int(exponent)
    while left:
        if left & 1:
            found = square if found is None else multiply(b, found, square)
        square, left = multiply(b, square, square), left >> 1
    assert found is not None
    return Term(call.kind, found)


def divide(b: Builder, n: Value, d: Value) -> tuple[Value, Value]:
    """Quotient and remainder of unsigned numbers.

    The first estimate is at most the quotient, and less by 2^-20 of it; what is left is divided again, and the second
    estimate is right or one too small.
    """
    inverse = b.mul(reciprocal(b, float_of_unsigned(b, d), positive=True), b.real(1 - 2.0**-21))
    first = b.op("ufftoi", b.mul(float_of_unsigned(b, n), inverse))
    left = b.op("isub", n, multiply(b, first, d))
    second = b.op("ufftoi", b.mul(float_of_unsigned(b, left), inverse))
    left = b.op("isub", left, multiply(b, second, d))
    enough = Truth(None, b.flags(b.op("uimax", left, d)))
    quotient = b.op("iadd", b.op("iadd", first, second), enough.words(b))
    return quotient, b.op("isub", left, select(b, enough, d, b.bits(0)))


def _signs(b: Builder, x: Value) -> Value:
    """-1 where x is negative, else 0."""
    return b.op("ilsr", x, b.bits(31))


def _signed(b: Builder, x: Value, signs: Value) -> Value:
    """-x where the sign is -1."""
    return b.op("isub", b.op("ixor", x, signs), signs)


def _shift_of(call: Call) -> int:
    """The power of two that the divisor is, -1 for any other."""
    number = call.term(1).number
    found = number is not None and number > 0 and int(number) & (int(number) - 1) == 0
    return int(number or 0).bit_length() - 1 if found else -1


def _parts_of_quotient(call: Call) -> tuple[Value, Value]:
    b, kind = call.b, call.kind
    x, y = call.value(0), call.value(1)
    if kind == "uint":
        return divide(b, x, y)
    signs = _signs(b, x)
    quotient, rest = divide(b, _signed(b, x, signs), _signed(b, y, _signs(b, y)))
    return _signed(b, quotient, _signs(b, b.op("ixor", x, y))), _signed(b, rest, signs)


def quotient(call: Call) -> Term:
    """Towards 0."""
    b, x, kind, shift = call.b, call.value(), call.kind, _shift_of(call)
    if shift == 0:
        return call.term()
    if shift > 0 and kind == "uint":
        return Term(kind, b.op("uilsr", x, b.bits(shift)))
    if shift > 0:
        carried = b.op("iadd", x, b.op("uilsr", _signs(b, x), b.bits(32 - shift)))
        return Term(kind, b.op("ilsr", carried, b.bits(shift)))
    return Term(kind, _parts_of_quotient(call)[0])


def remainder(call: Call) -> Term:
    """With the sign of the divisor; with fmod = 1 that of the dividend."""
    b, x, kind, shift, like_c = call.b, call.value(), call.kind, _shift_of(call), call.attributes.get("fmod", 0)
    if shift >= 0 and (not like_c or kind == "uint"):
        return Term(kind, b.op("iand", x, b.bits((1 << shift) - 1)))
    rest = _parts_of_quotient(call)[1]
    if like_c or kind == "uint":
        return Term(kind, rest)
    y = call.value(1)
    size = _signed(b, rest, _signs(b, rest))
    differs = b.op("iand", b.op("ixor", rest, y), b.op("isub", b.bits(0), size))
    return Term(kind, b.op("iadd", rest, b.op("iand", _signs(b, differs), y)))
