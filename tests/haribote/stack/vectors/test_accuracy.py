"""Every operator is as accurate as the table says, against float64."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.stack.vectors.accuracy import ACCURACY
from tests.haribote.stack.vectors.chip import apply, ulps

Array = NDArray[Any]
ERF = np.vectorize(math.erf, otypes=[np.float64])
ERFC = np.vectorize(math.erfc, otypes=[np.float64])
TWO = ("Add", "Sub", "Mul", "Div")
EXACT: dict[str, Callable[..., Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Reciprocal": np.reciprocal,
    "Sqrt": np.sqrt,
    "Exp": np.exp,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Swish": lambda x: x / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Erf": ERF,
    "Gelu": lambda x: x * ERFC(-x / math.sqrt(2)) / 2,
    "Elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "Selu": lambda x: 1.0507010 * np.where(x > 0, x, 1.6732632 * np.expm1(np.minimum(x, 0))),
    "Celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "Mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "Softplus": lambda x: np.logaddexp(0, x),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "Log": np.log,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Atan": np.arctan,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Asinh": np.arcsinh,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
}
COUNT = 4096 * 16


def operand(random: np.random.Generator, op_type: str) -> Array:
    """Half of the numbers with even exponents, half of them even themselves."""
    stated = ACCURACY[op_type]
    exponents = random.uniform(math.log2(stated.low), math.log2(stated.high), COUNT // 2)
    numbers = np.concatenate([np.exp2(exponents), random.uniform(stated.low, min(stated.high, 100), COUNT // 2)])
    numbers = np.clip(numbers, stated.low, stated.high).astype(np.float32)
    signs = random.choice([-1, 1], COUNT) if stated.signed else np.ones(COUNT)
    return numbers * signs.astype(np.float32)


OFTEN = ("Add", "Div", "Sqrt", "Exp", "Log", "Sigmoid", "Tanh", "Erf", "Sin")


def excess(op_type: str) -> float:
    """By how many ulps the largest error is above what is stated."""
    random, stated = np.random.default_rng(5), ACCURACY[op_type]
    operands = [operand(random, op_type) for _ in range(1 + (op_type in TWO))]
    exact = EXACT[op_type](*(x.astype(np.float64) for x in operands))
    found = apply(f"y = {op_type} {' '.join('ab'[: len(operands)])}", *operands)
    large = np.abs(found.astype(np.float64) - exact) > stated.absolute
    error: float = np.max(ulps(found, exact) * large, where=np.abs(exact) >= 2.0**-126, initial=0)
    return error - stated.ulps


@pytest.mark.parametrize("op_type", OFTEN)
def test_operators_are_as_accurate_as_stated(op_type: str) -> None:
    assert excess(op_type) <= 0


@pytest.mark.slow
@pytest.mark.parametrize("op_type", sorted(set(EXACT) - set(OFTEN)))
def test_other_operators_are_as_accurate_as_stated(op_type: str) -> None:
    assert excess(op_type) <= 0


@pytest.mark.parametrize(
    ("exponent", "ulp"), [(2, 1), (-1, 2), (0.5, 2), (-0.5, 3), (1.5, 3), (3, 2), (0, 0), (0.3, 20), (-2.2, 60)]
)
def test_powers(exponent: float, ulp: float) -> None:
    x = np.random.default_rng(2).uniform(0.01, 10, 8192).astype(np.float32)
    found = apply("y = Pow a k", x, constants={"k": np.array(exponent, np.float32)})
    assert ulps(found, x.astype(np.float64) ** np.float64(np.float32(exponent))).max() <= ulp


def test_whole_powers_of_negative_numbers() -> None:
    x = -np.random.default_rng(3).uniform(0.5, 2, 4096).astype(np.float32)
    y = np.resize(np.arange(-9, 13, dtype=np.float32), x.shape)
    for found, wanted in (
        (apply("y = Pow a b", x, y), x.astype(np.float64) ** y),
        (apply("y = Pow a k", x, constants={"k": np.array(9, np.float32)}), x.astype(np.float64) ** 9),
        (apply("y = Pow a k", x, constants={"k": np.array(12, np.float32)}), x.astype(np.float64) ** 12),
    ):
        assert ulps(found, wanted).max() <= 60


def test_powers_with_fractions_of_negative_numbers_are_nan() -> None:
    x = np.array([-2, -2, -2, -0.0, 0, 2, -2, -3.5], np.float32)
    y = np.array([0.3, 2, 3, 0.3, 0.3, 0.3, -1.75, 2.5], np.float32)
    wanted = np.array([np.nan, 4, -8, 0, 0, 2**0.3, np.nan, np.nan])
    found = apply("y = Pow a b", np.resize(x, 4096), np.resize(y, 4096))
    assert np.allclose(found, np.resize(wanted, 4096), rtol=1e-6, equal_nan=True)
    found = apply("y = Pow a k", np.resize(x, 4096), constants={"k": np.array(0.3, np.float32)})
    wanted = np.array([2**0.3 if z > 0 else 0 if z == 0 else np.nan for z in x])
    assert np.allclose(found, np.resize(wanted, 4096), rtol=1e-6, equal_nan=True)


def test_what_equals_itself_is_not_nan() -> None:
    x = np.array([1, np.nan, -np.inf, 0, -np.nan, np.inf, 3, 1e-40], np.float32)
    found = apply("y = Equal a a", np.resize(x, 4096), as_type=np.int32)
    assert (found == ~np.isnan(np.resize(x, 4096))).all()


def test_all_of_the_table_is_tested() -> None:
    assert set(EXACT) == set(ACCURACY)
