"""The table of element-wise operators: one row says everything that the compiler knows of one.

To add an operator, add a row here, and beside the other instructions of its kind in `haribote/stack/vectors` the
function that makes its result on the chip. The front ends, C++, the gradients, lazy arrays and the chip read the row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.core.chip import (
    arithmetic,
    division,
    exponentials,
    integer_products,
    integers,
    logarithms,
    logic,
    trigonometry,
)
from haribote.core.chip.terms import Rule, chain, plain
from haribote.core.notation import cos, cosh, equal, exp, log, power, sigmoid, sign, sin, sinh, sqrt, where
from haribote.graph import Builder, evaluate

Gradient = Callable[..., Any] | None
"""(gradient of the result, operands …, result, attributes as keywords) -> the gradient by one operand, written with
`core.notation`; None where there is none."""


@dataclass(frozen=True)
class Elementwise:
    """An operator that works element by element, with ONNX's broadcasting.

    Attributes:
        name: ONNX's, or of the domain `haribote`.
        numpy: its meaning on arrays; attributes are keyword arguments.
        cpp: one element in C++: {0}, {1}, … are the names of the operands, {alpha} is an attribute. "": the function
            body by which ONNX defines the operator is written instead.
        chip: types of the first operand, separated by spaces, to what makes the result of instructions.
        gradient: for each operand; a single one for all of them.
        truth: the result is true or false; else it has the type of the operands.
        many: it takes any number of operands, and joins them from left to right.
        aten, jax: the operations of PyTorch and the primitives of JAX that are this operator, separated by spaces.
    """

    name: str
    numpy: Callable[..., Any]
    cpp: str
    chip: Mapping[str, Rule]
    gradient: tuple[Gradient, ...] = ()
    truth: bool = False
    many: bool = False
    aten: str = ""
    jax: str = ""
    kinds: Mapping[str, Rule] = field(init=False, repr=False, compare=False)
    """Each type of the first operand, `float`, `int`, `uint` or `bool`, to its rule for the chip."""

    def __post_init__(self) -> None:
        rules = {kind: rule for kinds, rule in self.chip.items() for kind in kinds.split()}
        object.__setattr__(self, "kinds", rules)


def given_or_default(node: onnx.NodeProto) -> dict[str, Any]:
    """The attributes of a node by name, those that are left out at ONNX's default; texts as `str`."""
    known = {} if node.domain else onnx.defs.get_schema(node.op_type).attributes
    found = {name: entry.default_value for name, entry in known.items() if entry.default_value.type}
    found |= {attribute.name: attribute for attribute in node.attribute}
    values = {name: onnx.helper.get_attribute_value(attribute) for name, attribute in found.items()}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


# --- meanings in NumPy that take more than a name ---------------------------------------------------------------------


def _quotient(x: Any, y: Any) -> Any:
    """Of integers towards 0; 0 where one is divided by 0, as a program must not stop there."""
    if np.result_type(x, y).kind not in "iu":
        return np.divide(x, y)
    whole = np.where(y == 0, 1, y)
    return np.where(y == 0, 0, np.abs(x) // np.abs(whole) * np.sign(x) * np.sign(whole))


def _remainder(x: Any, y: Any, fmod: int = 0) -> Any:
    """With the sign of the divisor, or with `fmod` that of the dividend."""
    return np.fmod(x, y) if fmod else np.mod(x, y)


def _shift(x: Any, y: Any, direction: str) -> Any:
    return np.left_shift(x, y) if direction == "LEFT" else np.right_shift(x, y)


def _infinite(x: Any, detect_positive: int = 1, detect_negative: int = 1) -> Any:
    return (np.isposinf(x) & bool(detect_positive)) | (np.isneginf(x) & bool(detect_negative))


def _cast(x: Any, to: int, **_: Any) -> Any:
    return np.asarray(x).astype(onnx.helper.tensor_dtype_to_np_dtype(to))


def _gelu(x: Any, approximate: str = "none") -> Any:
    inner = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)) if approximate == "tanh" else _erf(x / math.sqrt(2))
    return x * (1 + inner) / 2


def _shrink(x: Any, bias: float = 0.0, lambd: float = 0.5) -> Any:
    return np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0))


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _by_body(name: str) -> Callable[..., NDArray[Any]]:
    """The meaning of one of our own operators: the function body that models carry."""

    def value(x: Any) -> NDArray[Any]:
        builder = Builder(name)
        builder.output(builder.op(name, builder.input("x", np.shape(x), np.asarray(x).dtype), name="y"))
        return evaluate(builder.finish(), {"x": np.asarray(x)})["y"]

    return value


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _hard_sigmoid(x: Any, alpha: float, beta: float) -> Any:
    return np.clip(alpha * x + beta, 0, 1)


def _relu(x: Any) -> Any:
    return np.maximum(x, 0)


def _elu(x: Any, alpha: float = 1.0) -> Any:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _same(x: Any) -> Any:
    return x


def _cast_like(x: Any, y: Any, **_: Any) -> Any:
    return x.astype(y.dtype)


def _folded(function: Any) -> Callable[..., Any]:
    return lambda *x: reduce(function, x)


def _nothing(g: Any, *_: Any) -> Any:
    """The gradient of what is flat wherever it has a slope."""
    return g * 0


# --- rows -------------------------------------------------------------------------------------------------------------

_NUMBERS, _ALL = "float int uint", "float int uint bool"

# fmt: off
ROWS = (
    # Arithmetic. The gradient of Add is task 2.2, that of Relu 2.1: `haribote.autodiff.elementwise`.
    Elementwise("Add", np.add, "{0} + {1}", {"float": arithmetic.add, "int uint": chain("iadd")}),
    Elementwise("Sub", np.subtract, "{0} - {1}", {"float": arithmetic.sub, "int uint": chain("isub")},
                (lambda g, *_: g, lambda g, *_: -g)),
    Elementwise("Mul", np.multiply, "{0} * {1}", {"float": arithmetic.mul, "int uint": integer_products.product},
                (lambda g, x, y, z: g * y, lambda g, x, y, z: g * x)),
    Elementwise("Div", _quotient, "op::quotient({0}, {1})",
                {"float": division.div, "int uint": integer_products.quotient},
                (lambda g, x, y, z: g / y, lambda g, x, y, z: -g * z / y)),
    Elementwise("Mod", _remainder, "op::remainder<{fmod}>({0}, {1})",
                {"float": division.remainder, "int uint": integer_products.remainder}),
    Elementwise("Pow", np.power, "op::power({0}, {1})",
                {"float": logarithms.power, "int uint": integer_products.power},
                (lambda g, x, y, z: g * y * power(x, y - 1), lambda g, x, y, z: g * z * log(x))),
    Elementwise("Neg", np.negative, "-{0}", {"float": plain(arithmetic.negated), "int": plain(integers.minus)},
                (lambda g, *_: -g,), aten="neg", jax="neg"),
    Elementwise("Reciprocal", np.reciprocal, "1 / {0}", {"float": plain(division.reciprocal)},
                (lambda g, x, y: -(g * y * y),), aten="reciprocal"),
    Elementwise("Sum", _folded(np.add), "{0} + {1}",
                {"float": arithmetic.sum_all, "int uint": chain("iadd")}, (lambda g, *_: g,), many=True),
    Elementwise("Max", _folded(np.maximum), "op::larger({0}, {1})",
                {"float": chain("fmax"), "int": chain("imax"), "uint": chain("uimax")},
                (lambda g, x, y, z: where(equal(x, z), g, 0), lambda g, x, y, z: where(equal(x, z), 0, g)), many=True),
    Elementwise("Min", _folded(np.minimum), "op::smaller({0}, {1})",
                {"float": chain("fmin"), "int": chain("imin"), "uint": chain("uimin")},
                (lambda g, x, y, z: where(equal(x, z), g, 0), lambda g, x, y, z: where(equal(x, z), 0, g)), many=True),

    # The same number, limited, rounded, or of another type.
    Elementwise("Identity", _same, "{0}", {_ALL: logic.identity}, (lambda g, *_: g,)),
    Elementwise("DL", _same, "{0}", {_ALL: logic.identity}),
    Elementwise("UL", _same, "{0}", {_ALL: logic.identity}),
    Elementwise("Abs", np.abs, "{0} < 0 ? -{0} : {0} == 0 ? 0 : {0}",
                {"float": plain(arithmetic.magnitude), "int": plain(integers.magnitude)},
                (lambda g, x, y: g * sign(x),), aten="abs", jax="abs"),
    Elementwise("Sign", np.sign, "{0} > 0 ? 1 : {0} < 0 ? -1 : {0}",
                {"float": arithmetic.sign_of, "int": plain(integers.sign_of)}, (_nothing,), aten="sign", jax="sign"),
    Elementwise("Clip", _clip, "", {"float int": logic.clip}),
    Elementwise("Floor", np.floor, "std::floor({0})", {"float": plain(arithmetic.floor)}, (_nothing,),
                aten="floor", jax="floor"),
    Elementwise("Ceil", np.ceil, "std::ceil({0})", {"float": plain(arithmetic.ceil)}, (_nothing,),
                aten="ceil", jax="ceil"),
    Elementwise("Round", np.round, "std::nearbyint({0})", {"float": arithmetic.round_even}, (_nothing,), aten="round"),
    Elementwise("RoundHalf", _by_body("RoundHalf"), "op::round_half({0})", {"float": plain(arithmetic.round_half)}),
    Elementwise("RoundBFloat16", _by_body("RoundBFloat16"), "op::round_bfloat16({0})",
                {"float": plain(arithmetic.round_bfloat16)}),
    Elementwise("Cast", _cast, "op::as<{to}>({0})", {_ALL: logic.cast}),
    Elementwise("CastLike", _cast_like, "", {_ALL: logic.cast_like}),  # of the second operand only the type counts

    # Exponentials, logarithms and roots.
    Elementwise("Exp", np.exp, "std::exp({0})", {"float": plain(exponentials.exponential)},
                (lambda g, x, y: g * y,), aten="exp", jax="exp"),
    Elementwise("Log", np.log, "std::log({0})", {"float": plain(logarithms.logarithm)},
                (lambda g, x, y: g / x,), aten="log", jax="log"),
    Elementwise("Sqrt", np.sqrt, "std::sqrt({0})", {"float": plain(division.square_root)},
                (lambda g, x, y: g * 0.5 / y,), aten="sqrt", jax="sqrt"),
    Elementwise("Erf", _erf, "std::erf({0})", {"float": plain(exponentials.error_function)},
                (lambda g, x, y: g * exp(-(x * x)) * (2 / math.sqrt(math.pi)),), aten="erf", jax="erf"),
    Elementwise("Sigmoid", _sigmoid, "1 / (1 + std::exp(-{0}))", {"float": plain(exponentials.logistic)},
                (lambda g, x, y: g * (y * (1 - y)),), aten="sigmoid sigmoid_", jax="logistic"),
    Elementwise("Tanh", np.tanh, "std::tanh({0})", {"float": plain(exponentials.hyperbolic_tangent)},
                (lambda g, x, y: g * (1 - y * y),), aten="tanh tanh_", jax="tanh"),
    Elementwise("Sinh", np.sinh, "std::sinh({0})", {"float": plain(exponentials.hyperbolic_sine)},
                (lambda g, x, y: g * cosh(x),), aten="sinh", jax="sinh"),
    Elementwise("Cosh", np.cosh, "std::cosh({0})", {"float": plain(exponentials.hyperbolic_cosine)},
                (lambda g, x, y: g * sinh(x),), aten="cosh", jax="cosh"),
    Elementwise("Asinh", np.arcsinh, "std::asinh({0})", {"float": plain(logarithms.inverse_hyperbolic_sine)},
                (lambda g, x, y: g / sqrt(x * x + 1),), aten="asinh", jax="asinh"),
    Elementwise("Acosh", np.arccosh, "std::acosh({0})", {"float": plain(logarithms.inverse_hyperbolic_cosine)},
                (lambda g, x, y: g / sqrt(x * x - 1),), aten="acosh", jax="acosh"),
    Elementwise("Atanh", np.arctanh, "std::atanh({0})", {"float": plain(logarithms.inverse_hyperbolic_tangent)},
                (lambda g, x, y: g / (1 - x * x),), aten="atanh", jax="atanh"),

    # Angles.
    Elementwise("Sin", np.sin, "std::sin({0})", {"float": plain(trigonometry.sine)},
                (lambda g, x, y: g * cos(x),), aten="sin", jax="sin"),
    Elementwise("Cos", np.cos, "std::cos({0})", {"float": plain(trigonometry.cosine)},
                (lambda g, x, y: -g * sin(x),), aten="cos", jax="cos"),
    Elementwise("Tan", np.tan, "std::tan({0})", {"float": plain(trigonometry.tangent)},
                (lambda g, x, y: g * (y * y + 1),), aten="tan", jax="tan"),
    Elementwise("Asin", np.arcsin, "std::asin({0})", {"float": plain(trigonometry.arc_sine)},
                (lambda g, x, y: g / sqrt(1 - x * x),), aten="asin", jax="asin"),
    Elementwise("Acos", np.arccos, "std::acos({0})", {"float": plain(trigonometry.arc_cosine)},
                (lambda g, x, y: -g / sqrt(1 - x * x),), aten="acos", jax="acos"),
    Elementwise("Atan", np.arctan, "std::atan({0})", {"float": plain(trigonometry.arc_tangent)},
                (lambda g, x, y: g / (x * x + 1),), aten="atan", jax="atan"),

    # Activations.
    Elementwise("Relu", _relu, "{0} < 0 ? 0 : {0}",
                {"float": plain(arithmetic.rectified), "int": plain(integers.rectified)}),
    Elementwise("LeakyRelu", lambda x, alpha: np.where(x < 0, alpha * x, x), "{0} < 0 ? {alpha} * {0} : {0}",
                {"float": arithmetic.leaky_relu}, (lambda g, x, y, alpha: where(x < 0, alpha * g, g),)),
    Elementwise("PRelu", lambda x, slope: np.where(x < 0, slope * x, x), "{0} < 0 ? {1} * {0} : {0}",
                {"float": arithmetic.parametric_relu},
                (lambda g, x, s, y: where(x < 0, s * g, g), lambda g, x, s, y: where(x < 0, x * g, 0))),
    Elementwise("ThresholdedRelu", lambda x, alpha: np.where(x > alpha, x, 0), "{0} > {alpha} ? {0} : 0",
                {"float": arithmetic.thresholded_relu}, (lambda g, x, y, alpha: where(x > alpha, g, 0),)),
    Elementwise("Elu", _elu, "{0} < 0 ? {alpha} * std::expm1({0}) : {0}", {"float": exponentials.elu},
                (lambda g, x, y, alpha: where(x < 0, g * (y + alpha), g),)),
    Elementwise("Celu", lambda x, alpha: alpha * _elu(x / alpha), "{0} < 0 ? {alpha} * std::expm1({0} / {alpha}) : {0}",
                {"float": exponentials.elu}, (lambda g, x, y, alpha: where(x < 0, g * (y / alpha + 1), g),)),
    Elementwise("Selu", lambda x, alpha, gamma: gamma * _elu(x, alpha),
                "{gamma} * ({0} < 0 ? {alpha} * std::expm1({0}) : {0})", {"float": exponentials.elu},
                (lambda g, x, y, alpha, gamma: where(x < 0, g * (y + alpha * gamma), g * gamma),)),
    Elementwise("HardSigmoid", _hard_sigmoid, "op::from_0_to_1({alpha} * {0} + {beta})",
                {"float": arithmetic.hard_sigmoid}),
    Elementwise("HardSwish", lambda x: x * _hard_sigmoid(x, 1 / 6, 0.5), "{0} * op::from_0_to_1({0} / 6 + 0.5f)",
                {"float": arithmetic.hard_swish}),
    Elementwise("Swish", lambda x, alpha: x * _sigmoid(alpha * x), "{0} / (1 + std::exp(-{alpha} * {0}))",
                {"float": exponentials.swish}),
    Elementwise("Gelu", _gelu, "", {"float": exponentials.gelu}),
    Elementwise("Softplus", lambda x: np.logaddexp(0, x), "op::softplus({0})",
                {"float": plain(logarithms.soft_maximum)}, (lambda g, x, y: g * sigmoid(x),)),
    Elementwise("Softsign", lambda x: x / (1 + np.abs(x)), "{0} / (1 + std::abs({0}))",
                {"float": plain(exponentials.softsign)}),
    Elementwise("Mish", lambda x: x * np.tanh(np.logaddexp(0, x)), "{0} * std::tanh(op::softplus({0}))",
                {"float": plain(logarithms.mish)}),
    Elementwise("Shrink", _shrink, "{0} < -{lambd} ? {0} + {bias} : {0} > {lambd} ? {0} - {bias} : 0",
                {"float": arithmetic.shrink}),

    # Comparisons, truths, choices.
    Elementwise("Greater", np.greater, "{0} > {1}", {_NUMBERS: logic.greater}, truth=True),
    Elementwise("GreaterOrEqual", np.greater_equal, "{0} >= {1}", {_NUMBERS: logic.greater_or_equal}, truth=True),
    Elementwise("Less", np.less, "{0} < {1}", {_NUMBERS: logic.less}, truth=True),
    Elementwise("LessOrEqual", np.less_equal, "{0} <= {1}", {_NUMBERS: logic.less_or_equal}, truth=True),
    Elementwise("Equal", np.equal, "{0} == {1}", {_ALL: logic.equal}, truth=True),
    Elementwise("IsNaN", np.isnan, "{0} != {0}", {"float": arithmetic.is_nan}, truth=True),
    Elementwise("IsInf", _infinite, "std::isinf({0}) && ({0} > 0 ? {detect_positive} : {detect_negative})",
                {"float": arithmetic.is_infinite}, truth=True),
    Elementwise("GreaterCast", lambda x: (x > 0).astype(x.dtype), "{0} > 0 ? 1 : 0",
                {"float": arithmetic.greater_cast}),
    Elementwise("Not", np.logical_not, "!{0}", {"bool": logic.negation}, truth=True),
    Elementwise("And", np.logical_and, "{0} && {1}", {"bool": logic.connective("iand")}, truth=True),
    Elementwise("Or", np.logical_or, "{0} || {1}", {"bool": logic.connective("ior")}, truth=True),
    Elementwise("Xor", np.logical_xor, "{0} != {1}", {"bool": logic.connective("ixor")}, truth=True),
    Elementwise("Where", np.where, "{0} ? {1} : {2}", {"bool": logic.where},
                (None, lambda g, c, x, y, z: where(c, g, 0), lambda g, c, x, y, z: where(c, 0, g))),

    # Bits of integers.
    Elementwise("BitwiseAnd", np.bitwise_and, "{0} & {1}", {"int uint": chain("iand")}),
    Elementwise("BitwiseOr", np.bitwise_or, "{0} | {1}", {"int uint": chain("ior")}),
    Elementwise("BitwiseXor", np.bitwise_xor, "{0} ^ {1}", {"int uint": chain("ixor")}),
    Elementwise("BitwiseNot", np.bitwise_not, "~{0}", {"int uint": plain(integers.bitwise_not)}),
    Elementwise("BitShift", _shift, "op::shifted<'{direction[0]}'>({0}, {1})", {"int uint": integers.bit_shift}),
)
# fmt: on

ELEMENTWISE: Mapping[str, Elementwise] = {row.name: row for row in ROWS}
"""The rows by the operator's name."""
