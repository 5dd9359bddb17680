"""The lowering rules of functions that ONNX has no operator for, from `haribote.core.special`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from haribote.core.cells import trace
from haribote.core.special import SPECIAL, gamma
from haribote.frontend.aten import Lowering, Rule, Scalar, aten, numpy_dtype, rule

Operand = str | Scalar


def _written(g: Lowering, function: Callable[..., Any], *operands: Operand) -> str:
    names = [g.value(x) for x in operands]
    return g.expression(trace(function, [numpy_dtype(g.dtype)] * len(names)), names)


def _rule(function: Callable[..., Any]) -> Rule:
    return lambda g, *operands: _written(g, function, *operands)


for _row in SPECIAL:
    for _packet in (getattr(aten, name) for name in _row.aten.split()):
        _named = [name for name in _packet.overloads() if name == "default" or name.endswith("_scalar")]
        rule(*(getattr(_packet, name) for name in _named))(_rule(_row.value))


@rule(aten.polygamma.default)
def _polygamma(g: Lowering, order: int, x: str) -> str:
    return _written(g, partial(gamma.polygamma, order=order), x)
