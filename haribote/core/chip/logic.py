"""Comparisons, truths, choices and casts.

Floats are compared as the ALU does, which takes numbers with exponent 0 as 0. A truth stays mask flags as long as it
is only used to choose.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx

from haribote.core.chip import arithmetic
from haribote.core.chip.terms import KINDS, Call, Kind, Rule, Term, Truth, select
from haribote.core.chip.values import EXPONENT, SMALLEST, Builder, Value
from haribote.errors import UnsupportedOp
from simulator.messages import tr

_PREFIX: Mapping[Kind, str] = {"float": "f", "int": "i", "uint": "ui"}


def at_least(b: Builder, kind: Kind, x: Value, y: Value) -> Truth:
    """x >= y: the flag of the larger one."""
    return Truth(None, b.flags(b.op(_PREFIX[kind] + "max", x, y)))


def _compare(call: Call, left: int, right: int) -> Truth:
    """left > right. With a constant it is >= the next number, which needs no opposite."""
    b, kind = call.b, call.kind
    for number, towards in ((right, 1), (left, -1)):
        constant = call.term(number).number
        beyond = None if constant is None else _next(kind, constant, towards)
        if beyond is not None:
            other = call.value(left if number == right else right)
            name = _PREFIX[kind] + ("max" if towards > 0 else "min")
            return Truth(None, b.flags(b.op(name, other, b.bits(beyond))))
    return at_least(b, kind, call.value(right), call.value(left)).opposite()


def _next(kind: Kind, number: float | int, towards: int) -> int | None:
    """The bits of the next number up or down; None where there is none."""
    if kind != "float":
        low, high = (0, 2**32 - 1) if kind == "uint" else (-(2**31), 2**31 - 1)
        return int(number) + towards if low < number < high else None
    if abs(number) < SMALLEST:
        return int(np.float32(towards * SMALLEST).view(np.uint32))
    beyond = np.nextafter(np.float32(number), np.float32(towards * np.inf))
    return int(beyond.view(np.uint32)) if np.isfinite(number) else None


def greater(call: Call) -> Term:
    """x > y."""
    return Term("bool", None, _compare(call, 0, 1))


def less(call: Call) -> Term:
    """y > x."""
    return Term("bool", None, _compare(call, 1, 0))


def greater_or_equal(call: Call) -> Term:
    """x >= y."""
    return Term("bool", None, at_least(call.b, call.kind, call.value(0), call.value(1)))


def less_or_equal(call: Call) -> Term:
    """y >= x."""
    return Term("bool", None, at_least(call.b, call.kind, call.value(1), call.value(0)))


def equal(call: Call) -> Term:
    """The difference is 0; of a number and itself: it is not NaN."""
    b = call.b
    x, y = call.value(0), call.value(1)
    if call.kind == "float" and x is y:
        nan = arithmetic.is_nan(call).truth
        assert nan is not None
        return Term("bool", None, nan.opposite())
    if call.kind == "float":
        difference = b.op("fvadd", x, b.neg(y))
        return Term("bool", None, Truth(b.op("ilnot", difference), b.flags(b.op("ipassa", difference))))
    difference = b.op("ixor", x, y)
    return Term("bool", None, Truth(b.op("ilnot", difference), b.flags(difference)))


def negation(call: Call) -> Term:
    """1 - x."""
    truth = call.term().truth
    if truth is not None and truth.word is None:
        return Term("bool", None, truth.opposite())
    return Term("bool", call.b.op("ixor", call.value(), call.b.bits(1)))


def connective(op: str) -> Rule:
    """Of words 0 and 1, by one instruction."""
    return lambda call: Term("bool", call.b.op(op, call.value(0), call.value(1)))


def where(call: Call) -> Term:
    """The second operand where the first is true, else the third."""
    kind = call.term(1).kind
    return Term(kind, select(call.b, call.term(0).truths(call.b), call.value(1), call.value(2)))


def clip(call: Call) -> Term:
    """First the lower limit, then the upper one."""
    x, prefix = call.value(), _PREFIX[call.kind]
    if call.has(1):
        x = call.b.op(f"{prefix}max", x, call.value(1))
    return Term(call.kind, call.b.op(f"{prefix}min", x, call.value(2)) if call.has(2) else x)


def identity(call: Call) -> Term:
    """The same."""
    return call.term()


# --- casts -----------------------------------------------------------------------------------------------------------


def cast(call: Call) -> Term:
    """Between floats, integers and truths."""
    name = str(np.dtype(onnx.helper.tensor_dtype_to_np_dtype(call.attributes["to"])))
    if name not in KINDS:
        raise UnsupportedOp(tr("Cast to {name}: the chip computes in {kinds}", name, ", ".join(KINDS)))
    return _cast(call, KINDS[name])


def cast_like(call: Call) -> Term:
    """To the type of the second operand."""
    return _cast(call, call.term(1).kind)


def _cast(call: Call, to: Kind) -> Term:
    b, term = call.b, call.term()
    if term.kind == to:
        return term
    if term.kind == "bool":
        return Term(to, None, term.truths(b))
    if to == "bool":
        return Term("bool", None, _is_not_zero(b, term))
    if term.truth is not None:
        return Term(to, None, term.truth)
    x = term.value(b)
    if to == "float":
        return Term("float", (float_of_unsigned if term.kind == "uint" else float_of)(b, x))
    if term.kind != "float":
        return Term(to, x)
    if to == "int":
        return Term(to, b.op("fftoi", b.nearest(x)))
    negative = b.op("ilsr", x, b.bits(31))  # -1 or 0; ufftoi gives magnitudes
    return Term(to, b.op("isub", b.op("ixor", b.op("ufftoi", b.nearest(x)), negative), negative))


def _is_not_zero(b: Builder, term: Term) -> Truth:
    bits = term.value(b)
    if term.kind == "float":
        bits = b.op("iand", bits, b.bits(EXPONENT))
    return Truth(None, b.flags(b.op("ipassa", bits)), False)


def float_of(b: Builder, x: Value) -> Value:
    """An integer as the nearest single: its halves become floats by exponents that put the units at the end, and one
    multiply-add joins them.
    """
    low = b.op("ior", b.op("iand", x, b.bits(0xFFFF)), b.bits(0x4B000000))
    high = b.op("iadd", b.op("ilsr", x, b.bits(16)), b.bits(0x4B400000))
    high_part = b.add(high, b.real(-1.5 * 2**23))
    return b.fma(high_part, b.real(65536), b.add(low, b.real(-(2.0**23))))


def float_of_unsigned(b: Builder, x: Value) -> Value:
    """The same of an unsigned integer."""
    low = b.op("ior", b.op("iand", x, b.bits(0xFFFF)), b.bits(0x4B000000))
    high = b.op("ior", b.op("uilsr", x, b.bits(16)), b.bits(0x4B000000))
    high_part = b.add(high, b.real(-(2.0**23)))
    return b.fma(high_part, b.real(65536), b.add(low, b.real(-(2.0**23))))
