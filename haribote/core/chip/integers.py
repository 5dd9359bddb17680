"""Integers of 32 bits, which wrap around."""

from __future__ import annotations

from haribote.core.chip.terms import Call, Term, Truth, select
from haribote.core.chip.values import Builder, Value


def minus(b: Builder, x: Value) -> Value:
    """-x."""
    return b.op("isub", b.bits(0), x)


def magnitude(b: Builder, x: Value) -> Value:
    """|x|."""
    return b.op("imax", x, minus(b, x))


def rectified(b: Builder, x: Value) -> Value:
    """max(x, 0)."""
    return b.op("imax", x, b.bits(0))


def bitwise_not(b: Builder, x: Value) -> Value:
    """Every bit the other way."""
    return b.op("inot", x)


def sign_of(b: Builder, x: Value) -> Value:
    """x, at least -1, at most 1."""
    return b.op("imin", b.op("imax", x, b.bits(-1)), b.bits(1))


def bit_shift(call: Call) -> Term:
    """Zeros come in; the ALU looks at the low bits of the amount only, so that 32 places and more are told apart."""
    b, op = call.b, "uilsr" if call.attributes["direction"] == b"RIGHT" else "ilsl"
    amount = call.term(1).number
    if amount is not None:
        return Term(call.kind, b.op(op, call.value(0), b.bits(int(amount))) if 0 <= amount < 32 else b.bits(0))
    far = Truth(None, b.flags(b.op("uimax", call.value(1), b.bits(32))))
    return Term(call.kind, select(b, far, b.bits(0), b.op(op, call.value(0), call.value(1))))
