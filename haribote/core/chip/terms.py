"""What operators work on: values with a type, and truths that are mask flags or words, whichever is at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal

import numpy as np

from haribote.core.chip.values import Builder, Value
from haribote.errors import UnsupportedOp

Kind = Literal["float", "int", "uint", "bool"]
KINDS: Mapping[str, Kind] = {
    "float32": "float",
    "int32": "int",
    "int64": "int",
    "uint32": "uint",
    "uint64": "uint",
    "bool": "bool",
}
"""Types of ONNX that are words here; int64 and uint64 are 32 bits, others become these (`planner.narrow`)."""


@dataclass(eq=False)
class Truth:
    """True or false in every element: a word 0 or 1, or mask flags, and each made of the other when it is wanted.

    flag is 1 where the truth is `positive`.
    """

    word: Value | None = None
    flag: Value | None = None
    positive: bool = True

    def words(self, b: Builder) -> Value:
        """0 or 1."""
        if self.word is None:
            assert self.flag is not None
            chosen = b.flush(self.flag, b.bits(1))
            self.word = chosen if self.positive else b.op("ixor", chosen, b.bits(1))
        return self.word

    def flags(self, b: Builder) -> Value:
        """Flags of a truth or of its opposite, as `positive` says."""
        if self.flag is None:
            assert self.word is not None
            self.flag, self.positive = b.flags(b.op("idec", self.word)), True
        return self.flag

    def opposite(self) -> Truth:
        """True where this is false; only of flags."""
        return Truth(None, self.flag, not self.positive)


@dataclass(eq=False)
class Term:
    """An operand or result of an operator. truth: of what a truth gave, also 1.0 or 0.0 by Cast."""

    kind: Kind
    plain: Value | None = None
    truth: Truth | None = None

    def value(self, b: Builder) -> Value:
        """The words."""
        if self.plain is None:
            assert self.truth is not None
            self.plain = self.truth.words(b) if self.kind != "float" else select(b, self.truth, b.real(1), b.real(0))
        return self.plain

    def truths(self, b: Builder) -> Truth:
        """Of a bool."""
        if self.truth is None:
            self.truth = Truth(self.value(b))
        return self.truth

    @property
    def number(self) -> float | int | None:
        """The value of a constant."""
        if self.plain is None or self.plain.op != "const":
            return None
        word = np.uint32(self.plain.key)
        if self.kind == "float":
            return float(word.view(np.float32))
        return int(word) if self.kind == "uint" else int(word.view(np.int32))


def select(b: Builder, truth: Truth, x: Value, y: Value) -> Value:
    """x where it is true, else y."""
    if x is y:
        return x
    flag = truth.flags(b)
    if not truth.positive:
        x, y = y, x
    return b.flush(flag, x) if y is b.real(0) else b.merge(flag, x, y)


@dataclass(frozen=True)
class Call:
    """One node: what is built, the operands (None where left out), and the attributes."""

    b: Builder
    terms: Sequence[Term | None]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    op_type: str = ""

    def term(self, number: int = 0) -> Term:
        """An operand that must be there."""
        found = self.terms[number] if number < len(self.terms) else None
        if found is None:
            raise UnsupportedOp(f"{self.op_type} has no operand {number}")
        return found

    def value(self, number: int = 0) -> Value:
        """Its words."""
        return self.term(number).value(self.b)

    def values(self) -> list[Value]:
        """The words of all operands."""
        return [self.value(number) for number in range(len(self.terms))]

    def has(self, number: int) -> bool:
        """True where an optional operand is there."""
        return number < len(self.terms) and self.terms[number] is not None

    @property
    def kind(self) -> Kind:
        """The type of the first operand."""
        return self.term().kind


Rule = Callable[[Call], Term]
"""What makes the result of an operator."""


def plain(function: Callable[..., Value]) -> Rule:
    """A rule from a function of the builder and words; the result has the type of the first operand."""
    return lambda call: Term(call.kind, function(call.b, *call.values()))


def chain(op: str) -> Rule:
    """The rule of one instruction for two operands, again and again for more."""
    return lambda call: Term(call.kind, reduce(lambda x, y: call.b.op(op, x, y), call.values()))
