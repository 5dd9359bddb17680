"""Extremes of unsigned numbers along axes: those of the whole range, with and without padding around them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote import onnx_backend
from haribote.stack.planner.unsigned import signed_extremes


def extreme(op_type: str, kind: str, shape: tuple[int, ...]) -> onnx.ModelProto:
    sizes = ", ".join(map(str, shape))
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 20]> test ({kind}[{sizes}] x) => ({kind}[{shape[0]}] y) '
        f"<int64[1] axes = {{1}}> {{ y = {op_type} <keepdims = 0> (x, axes) }}"
    )


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("kind", ["uint8", "uint32", "uint64"])
@pytest.mark.parametrize("shape", [(3, 5), (4, 8)])
def test_the_whole_range_is_ordered(op_type: str, kind: str, shape: tuple[int, int]) -> None:
    info = np.iinfo(kind)
    most = min(info.max, 2**32 - 1)
    x = np.random.default_rng(0).integers(info.min, most, shape, kind, endpoint=True)
    x[0], x[1] = most, info.min
    rep = onnx_backend.prepare(extreme(op_type, kind, shape), "CHIP")
    (found,) = rep.run([x])
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, x.max(1) if op_type == "ReduceMax" else x.min(1))
    assert rep.last is not None and not rep.last.reasons


def test_signed_numbers_stay_as_they_are() -> None:
    model = extreme("ReduceMax", "int32", (3, 5))
    assert signed_extremes(model) is model
