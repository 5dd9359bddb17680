"""What is done to single elements: a Python function, called once with cells in place of numbers, becomes a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from haribote.core.elementwise import ELEMENTWISE
from haribote.core.notation import ExpressionError, Operators
from simulator.messages import tr

DType = np.dtype[Any]
FLOAT, INT, BOOL = np.dtype(np.float32), np.dtype(np.int64), np.dtype(np.bool_)
KINDS = {"f": "float", "i": "int", "u": "uint", "b": "bool"}
"""NumPy's kinds of types, as the table of element-wise operators calls them."""


@dataclass(frozen=True, eq=False)
class Cell(Operators):
    """One element: `argument` number `value` of a map, the `number` value, or an operator on other cells."""

    op: str
    dtype: DType
    operands: tuple[Cell, ...] = ()
    value: Any = None

    def __bool__(self) -> bool:
        raise ExpressionError(
            tr("a map has no `if`: what it does is the same for all elements"), "where(condition, a, b)"
        )

    def apply(self, op: str, *operands: Any) -> Cell:
        """See `Operators.apply`. Raises ExpressionError where the types do not fit."""
        choice = op == "Where"
        typed = [cell.dtype for cell in operands[choice:] if isinstance(cell, Cell)]
        cells = tuple(_cell(value, typed[0] if typed else FLOAT) for value in operands)
        types = [cell.dtype for cell in cells[choice:]]
        row = ELEMENTWISE[op]
        fits = choice or KINDS[types[0].kind] in row.kinds
        if not fits or any(dtype != types[0] for dtype in types) or (choice and cells[0].dtype != BOOL):
            first, kinds = (tr("bool first, then "), "any") if choice else ("", ", ".join(row.kinds))
            received = ", ".join(str(cell.dtype) for cell in cells)
            raise ExpressionError(
                tr("{op} takes {first}one type of {kinds}, received {received}", op, first, kinds, received)
            )
        return Cell(op, BOOL if row.truth else types[0], cells)

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
    """The tree of a function of so many elements.

    Raises ExpressionError where it gives something else than an element.
    """
    result = function(*(Cell("argument", dtype, (), number) for number, dtype in enumerate(dtypes)))
    return _cell(result, dtypes[0] if dtypes else FLOAT)


def _cell(value: Any, dtype: DType) -> Cell:
    if isinstance(value, Cell):
        return value
    if not isinstance(value, (bool, int, float, np.generic)):
        received = type(value).__name__
        raise ExpressionError(
            tr("a map works on elements and numbers, received {received}", received), "lazy_map(f, a, b)"
        )
    number = dtype.type(value)
    if number != value and not (dtype.kind == "f" and isinstance(value, float)):
        raise ExpressionError(
            tr("{value!r} is no {dtype}", value, dtype), tr("a number of the type of the other operand")
        )
    return Cell("number", dtype, (), number)
