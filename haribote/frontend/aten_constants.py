"""The lowering rules of constants and of casts; see `haribote.frontend.aten`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from haribote.frontend.aten import Lowering, Scalar, aten, numpy_dtype, rule


def _filled(g: Lowering, value: Scalar) -> str:
    g.require_fitting(value, g.dtype)
    return g.builder.constant(np.full(g.shape, value, numpy_dtype(g.dtype)), g.result)


@rule(aten.ones_like.default, aten.ones.default, aten.new_ones.default)
def _ones(g: Lowering, *_: Any, **__: Any) -> str:
    return _filled(g, 1)


@rule(
    aten.zeros_like.default,
    aten.zeros.default,
    aten.new_zeros.default,
    aten.empty.memory_format,
    aten.empty_like.default,
    aten.new_empty_strided.default,
    aten._efficientzerotensor.default,
)
def _zeros(g: Lowering, *_: Any, **__: Any) -> str:
    return _filled(g, 0)


@rule(aten.full.default, aten.full_like.default, aten.fill.Scalar, aten.new_full.default, aten.scalar_tensor.default)
def _full(g: Lowering, *given: Any, **_: Any) -> str:
    """Of the number that is given last."""
    return _filled(g, given[-1])


def _range(g: Lowering, start: Scalar, end: Scalar, step: Scalar) -> str:
    return g.builder.constant(np.arange(start, end, step).astype(numpy_dtype(g.dtype)), g.result)


@rule(aten.arange.default)
def _arange(g: Lowering, end: Scalar, **_: Any) -> str:
    return _range(g, 0, end, 1)


@rule(aten.arange.start)
def _arange_from(g: Lowering, start: Scalar, end: Scalar, **_: Any) -> str:
    return _range(g, start, end, 1)


@rule(aten.arange.start_step)
def _arange_step(g: Lowering, start: Scalar, end: Scalar, step: Scalar = 1, **_: Any) -> str:
    return _range(g, start, end, step)


@rule(torch.ops.prims.iota.default)
def _iota(g: Lowering, length: int, *, start: int, step: int, **_: Any) -> str:
    return _range(g, start, start + length * step, step)


@rule(aten._to_copy.default, torch.ops.prims.convert_element_type.default)
def _cast(g: Lowering, x: str, *_: Any, **__: Any) -> str:
    return g.value(x)


@rule(aten.copy.default, aten.copy_.default)
def _copy(g: Lowering, x: str, source: str, non_blocking: bool = False) -> str:
    found = g.value(source)
    return found if g.shapes[source] == g.shape else g.op("Expand", found, g.ints(list(g.shape), "shape"))
