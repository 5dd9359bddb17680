"""The lowering rules of comparisons, logic, choices and limits; see `haribote.frontend.aten`."""

from __future__ import annotations

from typing import Any

import torch

from haribote.frontend.aten import Lowering, Rule, Scalar, aten, rule
from simulator.messages import tr

Operand = str | Scalar

COMPARISONS = {
    "Equal": [aten.eq.Tensor, aten.eq.Scalar],
    "Greater": [aten.gt.Tensor, aten.gt.Scalar],
    "GreaterOrEqual": [aten.ge.Tensor, aten.ge.Scalar],
    "Less": [aten.lt.Tensor, aten.lt.Scalar],
    "LessOrEqual": [aten.le.Tensor, aten.le.Scalar],
}
LOGIC = {
    "And": [aten.logical_and.default, aten.bitwise_and.Tensor, aten.bitwise_and.Scalar],
    "Or": [aten.logical_or.default, aten.bitwise_or.Tensor, aten.bitwise_or.Scalar],
    "Xor": [aten.logical_xor.default, aten.bitwise_xor.Tensor, aten.bitwise_xor.Scalar],
}
"""Of booleans; bitwise of integers."""


def _common(g: Lowering, *operands: Operand) -> torch.dtype:
    """The dtype in which torch compares these."""
    stand_ins: list[Any] = [
        torch.empty(g.shapes[x], dtype=g.types[x], device="meta") if isinstance(x, str) else x for x in operands
    ]
    return torch.result_type(*stand_ins)


def _operands(g: Lowering, x: str, y: Operand) -> tuple[str, str]:
    """Both as integers where they are booleans, which ONNX does not order."""
    dtype = _common(g, x, y)
    dtype = torch.int32 if dtype == torch.bool else dtype
    return g.value(x, dtype), g.value(y, dtype)


def _comparison(op_type: str) -> Rule:
    return lambda g, x, y: g.op(op_type, *_operands(g, x, y))


def _logic(op_type: str) -> Rule:
    def write(g: Lowering, x: str, y: Operand) -> str:
        name = op_type if g.dtype == torch.bool else f"Bitwise{op_type}"
        return g.op(name, g.value(x), g.value(y))

    return write


for _op_type, _targets in COMPARISONS.items():
    rule(*_targets)(_comparison(_op_type))
for _op_type, _targets in LOGIC.items():
    rule(*_targets)(_logic(_op_type))


@rule(aten.ne.Tensor, aten.ne.Scalar)
def _ne(g: Lowering, x: str, y: Operand) -> str:
    return g.op("Not", g.op("Equal", *_operands(g, x, y), part="equal"))


@rule(aten.logical_not.default)
def _logical_not(g: Lowering, x: str) -> str:
    return g.op("Not", g.value(x, torch.bool))


@rule(aten.bitwise_not.default)
def _bitwise_not(g: Lowering, x: str) -> str:
    return g.op("Not" if g.dtype == torch.bool else "BitwiseNot", x)


@rule(aten.isnan.default)
def _isnan(g: Lowering, x: str) -> str:
    g.require(g.types[x].is_floating_point, tr("only floats can be NaN"))
    return g.op("IsNaN", x)


@rule(aten.isinf.default)
def _isinf(g: Lowering, x: str) -> str:
    g.require(g.types[x].is_floating_point, tr("only floats can be infinite"))
    return g.op("IsInf", x)


@rule(aten.where.self)
def _where(g: Lowering, condition: str, x: Operand, y: Operand) -> str:
    return g.op("Where", g.value(condition, torch.bool), g.value(x), g.value(y))


@rule(aten.masked_fill.Scalar, aten.masked_fill.Tensor)
def _masked_fill(g: Lowering, x: str, mask: str, value: Operand) -> str:
    return g.op("Where", mask, g.value(value), x)


@rule(aten.maximum.default, aten.clamp_min.default, aten.clamp_min.Tensor)
def _maximum(g: Lowering, x: str, y: Operand) -> str:
    return g.op("Max", g.value(x), g.value(y))


@rule(aten.minimum.default, aten.clamp_max.default, aten.clamp_max.Tensor)
def _minimum(g: Lowering, x: str, y: Operand) -> str:
    return g.op("Min", g.value(x), g.value(y))


@rule(aten.clamp.default, aten.clamp.Tensor, aten.clamp_.default, aten.hardtanh.default)
def _clamp(g: Lowering, x: str, min: Operand | None = None, max: Operand | None = None) -> str:
    if g.node.target is aten.hardtanh.default:
        min, max = -1.0 if min is None else min, 1.0 if max is None else max
    found = g.value(x)
    if min is not None:
        found = g.op("Max", found, g.value(min), **({} if max is None else {"part": "above"}))
    return found if max is None else g.op("Min", found, g.value(max))
