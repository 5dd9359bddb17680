"""Comparisons and casts at the borders of numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.haribote.stack.vectors.chip import apply

EDGES = np.array([0, -0.0, 1, -1, 1 + 2**-23, 2**-126, -(2**-126), 1.5 * 2**-100, 3e38, np.inf, -np.inf, 7], np.float32)
PAIRS = np.resize(np.array(list(product(EDGES, EDGES)), np.float32), (8192, 2))
COMPARE = {
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Equal": np.equal,
}


@pytest.mark.parametrize("op_type", COMPARE)
def test_comparisons_of_floats(op_type: str) -> None:
    x, y = PAIRS.T
    found = apply(f"y = {op_type} a b", x, y, as_type=np.int32)
    assert np.array_equal(found, COMPARE[op_type](x, y))


@pytest.mark.parametrize("op_type", ["Greater", "Less"])
@pytest.mark.parametrize("constant", [0.0, 1.0, -1.0, np.inf])
def test_comparisons_with_constants(op_type: str, constant: float) -> None:
    x, k = PAIRS[:, 0], np.float32(constant)
    found = apply(f"y = {op_type} a k", x, as_type=np.int32, constants={"k": np.array(k)})
    assert np.array_equal(found, COMPARE[op_type](x, k))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_comparisons_of_integers(dtype: type) -> None:
    edges = np.array([0, 1, 2**31 - 1, 2**31, 2**32 - 1, 5], np.uint32)
    x, y = np.resize(np.array(list(product(edges, edges)), np.uint32), (8192, 2)).T
    x, y = np.ascontiguousarray(x).view(dtype), np.ascontiguousarray(y).view(dtype)
    for op_type in ("Greater", "Equal"):
        assert np.array_equal(apply(f"y = {op_type} a b", x, y, as_type=np.int32), COMPARE[op_type](x, y))
    limit = np.array(2**31 - 1, dtype)
    found = apply("y = Greater a k", x, as_type=np.int32, constants={"k": limit})
    assert np.array_equal(found, x > limit)


def test_casts() -> None:
    random = np.random.default_rng(4)
    bits = (random.integers(-(2**31), 2**31, 8192) >> random.integers(0, 32, 8192)).astype(np.int32)
    assert np.array_equal(apply("y = Cast a", bits, to=1), bits.astype(np.float32))
    assert np.array_equal(apply("y = Cast a", bits.view(np.uint32), to=1), bits.view(np.uint32).astype(np.float32))
    floats = (bits / 256).astype(np.float32)
    assert np.array_equal(apply("y = Cast a", floats, as_type=np.int32, to=6), floats.astype(np.int32))
    assert np.array_equal(apply("y = Cast a", floats, as_type=np.int32, to=9), floats != 0)
    assert np.array_equal(apply("y = Cast a", bits, as_type=np.int32, to=9), bits != 0)
    assert np.array_equal(apply("y = Cast a", bits > 0, to=1), (bits > 0).astype(np.float32))
