"""The lowering rules of element-wise arithmetic and functions; see `haribote.frontend.aten`."""

from __future__ import annotations

import math

import torch

from haribote.core.elementwise import ROWS
from haribote.frontend.aten import Lowering, Rule, Scalar, aten, rule
from simulator.messages import tr

Operand = str | Scalar


def _function(op_type: str) -> Rule:
    """The rule of an ATen operation that is an ONNX operator. An integer is cast first where the result is a float."""

    def write(g: Lowering, x: str) -> str:
        if not g.dtype.is_floating_point and op_type in ("Ceil", "Floor", "Round"):
            return x  # an integer is rounded already
        if g.dtype == torch.uint8 and op_type == "Neg":
            return g.op("Sub", g.value(0), x)  # ONNX has no negative of unsigned integers
        if g.dtype == torch.uint8 and op_type == "Abs":
            return x
        return g.op(op_type, g.value(x))

    return write


for _row in ROWS:
    rule(*(getattr(aten, name).default for name in _row.aten.split()))(_function(_row.name))


@rule(aten.add.Tensor, aten.add_.Tensor, aten.add.Scalar, aten.add_.Scalar)
def _add(g: Lowering, x: str, y: Operand, *, alpha: Scalar = 1) -> str:
    if g.dtype == torch.bool:
        return g.op("Or", g.value(x), g.value(y))
    if alpha < 0:  # SGD writes p + (-lr) * grad
        return g.op("Sub", g.value(x), g.scaled(y, -alpha))
    return g.op("Add", g.value(x), g.scaled(y, alpha))


@rule(aten.sub.Tensor, aten.sub_.Tensor, aten.sub.Scalar)
def _sub(g: Lowering, x: str, y: Operand, *, alpha: Scalar = 1) -> str:
    return g.op("Sub", g.value(x), g.scaled(y, alpha))


@rule(aten.mul.Tensor, aten.mul_.Tensor, aten.mul.Scalar)
def _mul(g: Lowering, x: str, y: Operand) -> str:
    return g.op("And" if g.dtype == torch.bool else "Mul", g.value(x), g.value(y))


@rule(aten.div.Tensor, aten.div_.Tensor, aten.div.Scalar)
def _div(g: Lowering, x: str, y: Operand) -> str:
    return g.op("Div", g.value(x), g.value(y))


@rule(aten.div.Tensor_mode, aten.div.Scalar_mode)
def _div_rounded(g: Lowering, x: str, y: Operand, *, rounding_mode: str | None = None) -> str:
    """Downwards: towards zero, and one less where something is left whose sign is not the divisor's. Of floats what is
    left is known exactly, the quotient is not: it may have been rounded to the next whole number."""
    a, b = g.value(x), g.value(y)
    real = g.dtype.is_floating_point
    if rounding_mode is None or (not real and (rounding_mode == "trunc" or not g.dtype.is_signed)):
        return g.op("Div", a, b)
    if rounding_mode == "trunc":
        whole: str = _trunc(g, g.op("Div", a, b, part="quotient"))
        return whole
    if real:
        rest = g.op("Mod", a, b, fmod=1, part="rest")
        quotient = g.op("Round", g.op("Div", g.op("Sub", a, rest, part="multiple"), b, part="quotient"), part="whole")
    else:
        quotient = g.op("Div", a, b, part="quotient")
        rest = g.op("Sub", a, g.op("Mul", quotient, b, part="multiple"), part="rest")
    less = g.op("CastLike", _other_side(g, rest, b), b, part="less")
    if not real:
        return g.op("Sub", quotient, less)
    by_zero = g.op("Equal", b, g.value(0), part="by_zero")
    infinite = g.op("Div", a, b, part="infinite")
    return g.op("Where", by_zero, infinite, g.op("Sub", quotient, less, part="floor"))


@rule(aten.remainder.Tensor, aten.remainder.Scalar)
def _remainder(g: Lowering, x: str, y: Operand) -> str:
    """With the sign of the divisor."""
    a, b = g.value(x), g.value(y)
    if not g.dtype.is_floating_point:
        return g.op("Mod", a, b)
    rest = g.op("Mod", a, b, fmod=1, part="rest")
    return g.op("Where", _other_side(g, rest, b), g.op("Add", rest, b, part="more"), rest)


def _other_side(g: Lowering, rest: str, divisor: str) -> str:
    """Where something is left whose sign is not the divisor's."""
    turned = g.op("Mul", rest, g.op("Sign", divisor, part="sign"), part="turned")
    return g.op("Less", turned, g.value(0), part="otherside")


@rule(aten.fmod.Tensor, aten.fmod.Scalar)
def _fmod(g: Lowering, x: str, y: Operand) -> str:
    return g.op("Mod", g.value(x), g.value(y), fmod=1)


@rule(aten.pow.Tensor_Scalar)
def _pow(g: Lowering, x: str, exponent: Scalar) -> str:
    """Small powers as products and roots, which are exact where Pow is not."""
    a = g.value(x)
    if exponent == 0:
        return _ones(g)
    if exponent == 1:
        return a
    if exponent in (2, 3, 4):
        square = g.op("Mul", a, a, **({} if exponent == 2 else {"part": "square"}))
        return square if exponent == 2 else g.op("Mul", square, a if exponent == 3 else square)
    if exponent == 0.5:
        return g.op("Sqrt", a)
    if exponent == -0.5:
        return g.op("Reciprocal", g.op("Sqrt", a, part="root"))
    if exponent == -1:
        return g.op("Reciprocal", a)
    return g.op("Pow", a, g.value(exponent))


def _ones(g: Lowering) -> str:
    """What any number to the power of 0 is, and 1 to any power, infinities among them."""
    return g.op("Expand", g.value(1), g.ints(list(g.shape), "shape"))


@rule(aten.pow.Tensor_Tensor, aten.pow.Scalar)
def _pow_of(g: Lowering, x: Operand, exponent: str) -> str:
    g.require(g.dtype.is_floating_point, tr("a computed power is of floats only"))
    if x == 1:
        return _ones(g)
    if not isinstance(x, str) and x > 0:
        logarithm = g.value(math.log(x))
        return g.op("Exp", g.op("Mul", g.value(exponent), logarithm, part="scaled"))
    return g.op("Pow", g.value(x), g.value(exponent))


@rule(aten.rsqrt.default)
def _rsqrt(g: Lowering, x: str) -> str:
    return g.op("Reciprocal", g.op("Sqrt", g.value(x), part="root"))


@rule(aten.exp2.default)
def _exp2(g: Lowering, x: str) -> str:
    return g.op("Exp", g.op("Mul", g.value(x), g.value(math.log(2)), part="scaled"))


@rule(aten.log2.default, aten.log10.default)
def _logarithm(g: Lowering, x: str) -> str:
    base = int(g.operation.removeprefix("log"))
    return g.op("Mul", g.op("Log", g.value(x), part="log"), g.value(1 / math.log(base)))


@rule(aten.trunc.default)
def _trunc(g: Lowering, x: str) -> str:
    if not g.dtype.is_floating_point:
        return x
    return g.op("Mul", g.op("Sign", x, part="sign"), g.op("Floor", g.op("Abs", x, part="size"), part="whole"))


@rule(aten.gelu.default)
def _gelu(g: Lowering, x: str, *, approximate: str = "none") -> str:
    return g.op("Gelu", x, approximate=approximate)


@rule(aten.silu.default)
def _silu(g: Lowering, x: str) -> str:
    return g.op("Mul", x, g.op("Sigmoid", x, part="sigmoid"))


@rule(aten.leaky_relu.default)
def _leaky_relu(g: Lowering, x: str, slope: Scalar = 0.01) -> str:
    return g.op("LeakyRelu", x, alpha=float(slope))


@rule(aten.elu.default)
def _elu(g: Lowering, x: str, alpha: Scalar = 1, scale: Scalar = 1, input_scale: Scalar = 1) -> str:
    g.require(input_scale == 1, tr("only ELU with input_scale=1 is supported"))
    found = g.op("Elu", x, alpha=float(alpha), **({} if scale == 1 else {"part": "elu"}))
    return found if scale == 1 else g.op("Mul", found, g.value(scale))
