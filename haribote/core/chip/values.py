"""Expressions as machine operations on the 8 words of a step: what operators become before lines are made of them.

Every value is one instruction of the ALU or the MAU, an operand that is read, or a constant. Equal values are one
object, so what two operators share is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

MAU = frozenset(("fvfma", "fvmul", "fvadd", "fvpassa", "fvpassar", "widen"))
"""Instructions of the MAU; `widen` is fvpassa of halves, as fvpassar leaves them."""
SIGN, EXPONENT, MAGNITUDE = 0x80000000, 0x7F800000, 0x7FFFFFFF
SMALLEST = 2.0**-126
"""The smallest number above 0; the machine has no subnormals."""


class Arg(NamedTuple):
    """An operand; negated: with `-`, which only the MAU takes."""

    value: Value
    negated: bool = False


@dataclass(frozen=True, eq=False)
class Value:
    """A node of an expression.

    op: an instruction; or `read` (key: the name), `const` (key: the word), `fixed` (key: `$msb1`), `flags` (the mask
    flags of its argument), `merge` (arguments x and y: x where `mask` is 1, else y).
    mask: of an instruction, the flags that let its elements through; the others become 0.
    """

    op: str
    args: tuple[Arg, ...] = ()
    key: str | int = ""
    mask: Value | None = None

    @property
    def unit(self) -> Literal["mau", "alu"]:
        """The unit of an instruction."""
        return "mau" if self.op in MAU else "alu"

    @property
    def is_operation(self) -> bool:
        """True for what is computed, by an instruction or a merge."""
        return self.op not in ("read", "const", "fixed", "flags")

    @property
    def number(self) -> float | None:
        """A constant as a single."""
        return float(np.uint32(self.key).view(np.float32)) if self.op == "const" else None


MSB = Value("fixed", (), "$msb1")


def word_of(number: float) -> int:
    """The bits of a single; what is too small is 0."""
    bits = int(np.float32(number).view(np.uint32))
    return bits if bits & EXPONENT else 0


class Builder:
    """Makes values; the same one for the same request."""

    single: set[Value]
    """Products that one operator uses, which may make one instruction of both."""

    quotients: dict[Value, tuple[Value, Value, Value]]
    """Products with an inverse, as (dividend, divisor, inverse): the last bit of these may be wrong."""

    def __init__(self) -> None:
        self.single = set()
        self.quotients = {}
        self._known: dict[tuple[object, ...], Value] = {}

    def _value(self, op: str, args: tuple[Arg, ...], key: str | int = "", mask: Value | None = None) -> Value:
        request = op, args, key, mask
        if request not in self._known:
            self._known[request] = Value(op, args, key, mask)
        return self._known[request]

    def read(self, name: str) -> Value:
        """An input of the expression."""
        return self._value("read", (), name)

    def bits(self, word: int) -> Value:
        """A constant word."""
        return self._value("const", (), word & 0xFFFFFFFF)

    def real(self, number: float) -> Value:
        """A constant single."""
        return self.bits(word_of(number))

    def op(self, op: str, *values: Value, mask: Value | None = None) -> Value:
        """An instruction. On the MAU a factor or addend that is a negation becomes an operand with `-`."""
        args = tuple(_negation(value) if op in MAU and op != "widen" else Arg(value) for value in values)
        return self._value(op, args, "", mask)

    def neg(self, x: Value) -> Value:
        """-x, for free where the MAU uses it."""
        if x.op == "const":
            return self.bits(int(x.key) ^ SIGN)
        if _is_negation(x):
            return x.args[0].value
        return self._value("fvpassa", (Arg(x, True),))

    def flags(self, x: Value) -> Value:
        """The mask flags that the instruction of x gives."""
        return self._value("flags", (Arg(x),))

    def flush(self, flag: Value, x: Value) -> Value:
        """x where the flag is 1, else 0."""
        return self._value("ipassa", (Arg(x),), "", flag)

    def merge(self, flag: Value, x: Value, y: Value) -> Value:
        """x where the flag is 1, else y; x and y are not the same."""
        return self._value("merge", (Arg(x), Arg(y)), "", flag)

    # --- short names of what is used often ---------------------------------------------------------------------

    def fma(self, x: Value, y: Value, z: Value) -> Value:
        """x * y + z, rounded once."""
        return self.op("fvfma", x, y, z)

    def mul(self, x: Value, y: Value) -> Value:
        """x * y."""
        return self.op("fvmul", x, y)

    def add(self, x: Value, y: Value) -> Value:
        """x + y."""
        return self.op("fvadd", x, y)

    def quotient(self, x: Value, y: Value, inverse: Value) -> Value:
        """x / y, but for the last bit."""
        found = self.mul(x, inverse)
        self.quotients[found] = x, y, inverse
        return found

    def nearest(self, x: Value) -> Value:
        """x, a quotient with its last bit right: rounded to a whole number, 6 / 3 must not be just below 2."""
        if x not in self.quotients:
            return x
        dividend, divisor, inverse = self.quotients[x]
        return self.fma(self.fma(self.neg(x), divisor, dividend), inverse, x)

    def polynomial(self, x: Value, start: Value, coefficients: Iterable[float]) -> Value:
        """((start * x + c0) * x + c1) …"""
        for c in coefficients:
            start = self.fma(start, x, self.real(c))
        return start


def _is_negation(value: Value) -> bool:
    return value.op == "fvpassa" and value.args[0].negated and value.mask is None


def _negation(value: Value) -> Arg:
    return Arg(value.args[0].value, True) if _is_negation(value) else Arg(value)


def ordered(outputs: Iterable[Value]) -> list[Value]:
    """All values that the outputs need, each after what it needs."""
    found: dict[Value, None] = {}
    stack: list[tuple[Value, bool]] = [(value, False) for value in reversed(list(outputs))]
    while stack:
        value, entered = stack.pop()
        if value in found:
            continue
        if entered:
            found[value] = None
            continue
        stack.append((value, True))
        needed = [arg.value for arg in value.args] + ([value.mask] if value.mask else [])
        stack += [(other, False) for other in reversed(needed)]
    return list(found)
