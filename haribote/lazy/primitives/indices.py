"""Index expressions: where an element of a view is read, in whole numbers made of the view's own indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from haribote.core.notation import ExpressionError
from simulator.messages import tr

LazyError = ExpressionError
"""What is wrong with an expression, as those who write one know it."""


@dataclass(frozen=True)
class Index:
    """`axis`: the index along that axis of the view; `number`: itself; else left `+ * // %` right.

    It is written as Python writes it, `2 * i + 1`; what is multiplied or divided by is a number.
    """

    op: str
    value: int = 0
    left: Index | None = None
    right: Index | None = None

    def __add__(self, other: Index | int) -> Index:
        return _made("+", self, _index(other))

    def __mul__(self, factor: int) -> Index:
        return _made("*", self, _number(factor))

    def __floordiv__(self, divisor: int) -> Index:
        return _made("//", self, _number(divisor))

    def __mod__(self, divisor: int) -> Index:
        return _made("%", self, _number(divisor))

    def __sub__(self, other: Index | int) -> Index:
        return self + _index(other) * -1

    def __rsub__(self, other: int) -> Index:
        return self * -1 + other

    __radd__, __rmul__ = __add__, __mul__

    @property
    def axes(self) -> frozenset[int]:
        """The axes whose indices it reads."""
        if self.left is None or self.right is None:
            return frozenset([self.value] if self.op == "axis" else [])
        return self.left.axes | self.right.axes

    def at(self, indices: Sequence[Any]) -> Any:
        """Its value where `indices` has what stands for each axis: numbers, arrays, or other expressions."""
        if self.left is None or self.right is None:
            return indices[self.value] if self.op == "axis" else self.value
        left, right = self.left.at(indices), self.right.at(indices)
        if self.op == "+":
            return left + right
        return left * right if self.op == "*" else left // right if self.op == "//" else left % right

    def of(self, indices: Sequence[Index]) -> Index:
        """The same place in a view that is read at these indices."""
        return _index(self.at(indices))

    def bounds(self, shape: Sequence[int]) -> tuple[int, int]:
        """The least and the largest value in a view of this shape; what cannot be known exactly is taken too wide.

        Raises:
            LazyError: something negative is divided, which C++ does in another way than Python.
        """
        if self.left is None or self.right is None:
            return (0, shape[self.value] - 1) if self.op == "axis" else (self.value, self.value)
        (low, high), (first, last) = self.left.bounds(shape), self.right.bounds(shape)
        if self.op == "+":
            return low + first, high + last
        if self.op == "*":
            return min(low * first, high * first), max(low * first, high * first)
        if low < 0 or first < 1:
            raise LazyError(
                tr("an index is divided that can be {low}, by {first}", low, first),
                tr("add a multiple of the divisor first"),
            )
        if self.op == "//":
            return low // first, high // first
        return (low, high) if high < first else (0, first - 1)


def axes(count: int) -> tuple[Index, ...]:
    """The indices of a view with so many axes."""
    return tuple(Index("axis", axis) for axis in range(count))


def flat(indices: Sequence[Index], sizes: Sequence[int]) -> Index:
    """The number of an element in memory, row by row; 0 without indices."""
    result = Index("number", 0)
    for index, size in zip(indices, sizes, strict=True):
        result = result * size + index
    return result


def digits(number: Index, sizes: Sequence[int]) -> list[Index]:
    """The indices of the element with this number: `flat`, the other way round."""
    result: list[Index] = []
    step = 1
    for place in reversed(range(len(sizes))):
        result.insert(0, number // step if place == 0 else number // step % sizes[place])
        step *= sizes[place]
    return result


def _index(value: object) -> Index:
    return value if isinstance(value, Index) else _number(value)


def _number(value: Any) -> Index:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise LazyError(tr("an index is made of whole numbers, received {value!r}", value), "2 * i + j, i // 4, i % 4")
    return Index("number", int(value))


def _made(op: str, left: Index, right: Index) -> Index:
    """The expression, without what changes nothing."""
    if left.op == right.op == "number" and (op in "+*" or right.value > 0):
        return Index("number", Index(op, 0, left, right).at([]))
    if right == Index("number", int(op != "+")) and op != "%":
        return left
    if op == "+" and left == Index("number", 0):
        return right
    return Index(op, 0, left, right)
