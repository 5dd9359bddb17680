"""Integers of 32 bits, which wrap around."""

from __future__ import annotations

from functools import reduce

from haribote.stack.vectors.terms import Call, Rule, Term, Truth, rule, select
from haribote.stack.vectors.values import Builder, Value


def _chain(op: str) -> Rule:
    return lambda call: Term(call.kind, reduce(lambda x, y: call.b.op(op, x, y), call.values()))


for _name, _op in {
    "Add": "iadd",
    "Sum": "iadd",
    "Sub": "isub",
    "BitwiseAnd": "iand",
    "BitwiseOr": "ior",
    "BitwiseXor": "ixor",
}.items():
    rule(_name, "int uint")(_chain(_op))
for _name in ("Max", "Min"):
    rule(_name, "int")(_chain(f"i{_name.lower()}"))
    rule(_name, "uint")(_chain(f"ui{_name.lower()}"))


def minus(b: Builder, x: Value) -> Value:
    """-x."""
    return b.op("isub", b.bits(0), x)


rule("Neg", "int")(lambda call: Term("int", minus(call.b, call.value())))
rule("Abs", "int")(lambda call: Term("int", call.b.op("imax", call.value(), minus(call.b, call.value()))))
rule("Relu", "int")(lambda call: Term("int", call.b.op("imax", call.value(), call.b.bits(0))))
rule("BitwiseNot", "int uint")(lambda call: Term(call.kind, call.b.op("inot", call.value())))


@rule("Sign", "int")
def sign_of(call: Call) -> Term:
    """x, at least -1, at most 1."""
    b = call.b
    return Term("int", b.op("imin", b.op("imax", call.value(), b.bits(-1)), b.bits(1)))


@rule("Clip", "int")
def clip(call: Call) -> Term:
    """First the lower limit, then the upper one."""
    x = call.value()
    if call.has(1):
        x = call.b.op("imax", x, call.value(1))
    return Term("int", call.b.op("imin", x, call.value(2)) if call.has(2) else x)


@rule("BitShift", "int uint")
def bit_shift(call: Call) -> Term:
    """Zeros come in; the ALU looks at the low bits of the amount only, so that 32 places and more are told apart."""
    b, op = call.b, "uilsr" if call.attributes["direction"] == b"RIGHT" else "ilsl"
    amount = call.term(1).number
    if amount is not None:
        return Term(call.kind, b.op(op, call.value(0), b.bits(int(amount))) if 0 <= amount < 32 else b.bits(0))
    far = Truth(None, b.flags(b.op("uimax", call.value(1), b.bits(32))))
    return Term(call.kind, select(b, far, b.bits(0), b.op(op, call.value(0), call.value(1))))
