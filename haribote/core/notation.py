"""Python's operators and functions, for what stands for numbers: elements, arrays, gradients.

What is written with them, `grad * (1 - y * y)`, asks its operands to `apply` an operator of ONNX by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from haribote.errors import HariboteError
from simulator.messages import tr


class ExpressionError(HariboteError):
    """An expression that cannot be: shapes, types or indices do not fit. Raised where the expression is built."""


def _operator(op_type: str, swapped: bool = False) -> Any:
    """A method for Python's operator."""
    return lambda self, *other: self.apply(op_type, *((*other, self) if swapped else (self, *other)))


class Operators:
    """Python's operators, for elements and for arrays."""

    __add__, __sub__, __mul__, __truediv__ = map(_operator, ("Add", "Sub", "Mul", "Div"))
    __radd__, __rmul__ = _operator("Add", swapped=True), _operator("Mul", swapped=True)
    __rsub__, __rtruediv__ = _operator("Sub", swapped=True), _operator("Div", swapped=True)
    __lt__, __gt__, __neg__ = map(_operator, ("Less", "Greater", "Neg"))

    def apply(self, op_type: str, *operands: Any) -> Any:
        """The operator on operands of which at least one is of this class; the others are numbers."""
        raise NotImplementedError


def function(op_type: str) -> Callable[..., Any]:
    """The function that applies an operator of ONNX to elements or arrays."""

    def apply(*operands: Any) -> Any:
        owner = next((value for value in operands if isinstance(value, Operators)), None)
        if owner is None:
            raise ExpressionError(tr("{op_type} takes elements or arrays, received {operands}", op_type, operands))
        return owner.apply(op_type, *operands)

    apply.__doc__ = tr("{op_type} of elements in a map, or of arrays of one shape.", op_type)
    return apply


# fmt: off
exp, log, sqrt, tanh, sin, cos, sinh, cosh, sigmoid, sign = map(function, (
    "Exp", "Log", "Sqrt", "Tanh", "Sin", "Cos", "Sinh", "Cosh", "Sigmoid", "Sign",
))
power, maximum, minimum, equal, where, both, either = map(function, (
    "Pow", "Max", "Min", "Equal", "Where", "And", "Or",
))
absolute, floor, atan, acos, acosh, erf = map(function, ("Abs", "Floor", "Atan", "Acos", "Acosh", "Erf"))
# fmt: on


def polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """By Horner's rule; the coefficient of the highest power first."""
    found: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        found = found * x + coefficient
    return found
