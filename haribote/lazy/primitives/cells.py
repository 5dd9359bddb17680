"""What is done to single elements: a Python function, called once with cells in place of numbers, becomes a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from haribote.lazy.primitives.indices import LazyError

DType = np.dtype[Any]
FLOAT, INT, BOOL = np.dtype(np.float32), np.dtype(np.int64), np.dtype(np.bool_)

RULES: dict[str, tuple[tuple[DType, ...], DType | None]] = {
    **dict.fromkeys(("add", "sub", "mul", "maximum", "minimum", "neg"), ((FLOAT, INT), None)),
    **dict.fromkeys(("div", "exp", "log", "sqrt", "tanh"), ((FLOAT,), None)),
    **dict.fromkeys(("less", "greater", "equal"), ((FLOAT, INT), BOOL)),
    "where": ((FLOAT, INT, BOOL), None),
}
"""Operation to the types that it takes, one for all operands, and the type of its result, None for the same."""


def _operator(op: str, swapped: bool = False) -> Any:
    """A method for Python's operator."""
    return lambda self, *other: self.apply(op, *((*other, self) if swapped else (self, *other)))


class Operators:
    """Python's operators, for cells and for arrays."""

    __add__, __sub__, __mul__, __truediv__ = map(_operator, ("add", "sub", "mul", "div"))
    __radd__, __rmul__ = _operator("add", swapped=True), _operator("mul", swapped=True)
    __rsub__, __rtruediv__ = _operator("sub", swapped=True), _operator("div", swapped=True)
    __lt__, __gt__, __neg__ = map(_operator, ("less", "greater", "neg"))

    def apply(self, op: str, *operands: Any) -> Any:
        """The operation on operands of which at least one is of this class; the others are numbers."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Cell(Operators):
    """One element: `argument` number `value` of a map, the `number` value, or an operation on other cells."""

    op: str
    dtype: DType
    operands: tuple[Cell, ...] = ()
    value: Any = None

    def __bool__(self) -> bool:
        raise LazyError("a map has no `if`: what it does is the same for all elements", "where(condition, a, b)")

    def apply(self, op: str, *operands: Any) -> Cell:
        """See `Operators.apply`. Raises LazyError where the types do not fit."""
        typed = [cell.dtype for cell in operands[op == "where" :] if isinstance(cell, Cell)]
        cells = tuple(_cell(value, typed[0] if typed else FLOAT) for value in operands)
        types = [cell.dtype for cell in cells[op == "where" :]]
        allowed, result = RULES[op]
        condition = op != "where" or cells[0].dtype == BOOL
        if types[0] not in allowed or any(dtype != types[0] for dtype in types) or not condition:
            first = "bool first, then " if op == "where" else ""
            received = ", ".join(str(cell.dtype) for cell in cells)
            raise LazyError(f"{op} takes {first}one type of {', '.join(map(str, allowed))}, received {received}")
        return Cell(op, result or types[0], cells)

    def at(self, arguments: Sequence[Any], do: Callable[[Cell, list[Any]], Any]) -> Any:
        """The tree on other values: `arguments`, and do(cell, operands) for each operation and number, done once."""
        known: dict[int, Any] = {}

        def value(cell: Cell) -> Any:
            if cell.op == "argument":
                return arguments[cell.value]
            if id(cell) not in known:
                known[id(cell)] = do(cell, [value(operand) for operand in cell.operands])
            return known[id(cell)]

        return value(self)


def trace(function: Callable[..., Any], dtypes: Sequence[DType]) -> Cell:
    """The tree of a function of so many elements. Raises LazyError where it gives something else than an element."""
    result = function(*(Cell("argument", dtype, (), number) for number, dtype in enumerate(dtypes)))
    return _cell(result, dtypes[0] if dtypes else FLOAT)


def _cell(value: Any, dtype: DType) -> Cell:
    if isinstance(value, Cell):
        return value
    if not isinstance(value, (bool, int, float, np.generic)):
        raise LazyError(f"a map works on elements and numbers, received {type(value).__name__}", "lazy_map(f, a, b)")
    number = dtype.type(value)
    if number != value and not (dtype == FLOAT and isinstance(value, float)):
        raise LazyError(f"{value!r} is no {dtype}", "a number of the type of the other operand")
    return Cell("number", dtype, (), number)


def _function(op: str) -> Callable[..., Any]:
    def function(*operands: Any) -> Any:
        owner = next((value for value in operands if isinstance(value, Operators)), None)
        if owner is None:
            raise LazyError(f"{op} takes elements or arrays, received {operands}")
        return owner.apply(op, *operands)

    function.__doc__ = f"{op} of elements in a map, or of arrays of one shape."
    return function


exp, log, sqrt, tanh, maximum, minimum, equal, where = map(
    _function, ("exp", "log", "sqrt", "tanh", "maximum", "minimum", "equal", "where")
)
