"""Every primitive and every operation, on C++, on the ONNX graph and on the chip, beside the reference in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from haribote import lazy
from haribote.lazy import Array
from haribote.lazy.evaluators.compiled import inputs_of

random = np.random.default_rng(1)

X = lazy.array("x", (4, 6))
Y = lazy.array("y", (4, 6))
N = lazy.array("n", (4, 6), "int64")
B = lazy.array("b", (4, 6), "bool")
VALUES = {
    "x": random.standard_normal((4, 6)).astype(np.float32),
    "y": random.uniform(0.5, 2, (4, 6)).astype(np.float32),
    "n": random.integers(-3, 4, (4, 6)),
    "b": random.integers(0, 2, (4, 6)).astype(bool),
}


def add(a: Any, b: Any) -> Any:
    return a + b


def outer(a: Array, b: Array) -> Array:
    """[n, k, 1] by [n, k, 1], summed over k, for every pair of n: a product with a batch of 1 and a shared axis."""
    return lazy.lazy_reduce(add, lazy.broadcast(a, (4, 4, 6), (0, 2)) * lazy.broadcast(b, (4, 4, 6), (1, 2)), [2])


def batched(a: Array, b: Array) -> Array:
    """For each of 4 rows the product of [2, 3] and [3, 2]."""
    full = (4, 2, 3, 2)
    left = lazy.reshape(a, full, lambda n, i, k, j: (n, 3 * i + k))
    right = lazy.reshape(b, full, lambda n, i, k, j: (n, 2 * k + j))
    return lazy.lazy_reduce(add, left * right, [2])


def some() -> dict[str, Array]:
    """By name, expressions of X, Y, N and B."""
    return {
        "arithmetic": lazy.lazy_map(lambda a, b: (a + b) * (a - b) / b - 2.0, X, Y),
        "functions": lazy.lazy_map(lambda a, b: lazy.exp(a) + lazy.log(b) * lazy.sqrt(b) - lazy.tanh(-a), X, Y),
        "order": lazy.maximum(X, Y) - lazy.minimum(X, 0.5),
        "choice": lazy.where(X < 0.1, Y, lazy.where(X > 1.0, 3.0, X)),
        "whole": lazy.where(lazy.equal(N, 2), 3 * N - 1, N + 7),
        "given": lazy.where(B, X, -X),
        "one_number": lazy.lazy_map(lambda a: 1.5, X),
        "sum": lazy.lazy_reduce(add, X, [0]),
        "sum_of_all": lazy.lazy_reduce(add, X * Y, [0, 1]),
        "sum_of_none": lazy.lazy_reduce(add, X, []),
        "largest": lazy.lazy_reduce(lazy.maximum, X, [1]),
        "least": lazy.lazy_reduce(lazy.minimum, X, [-1]),
        "whole_sum": lazy.lazy_reduce(add, N, [1]),
        "turned": lazy.reshape(X, (6, 4), lambda i, j: (j, i)),
        "cut": lazy.reshape(X, (2, 3), lambda i, j: (2 * i + 1, 5 - 2 * j)),
        "flat": lazy.reshape(X, (24,), lambda i: (i // 6, i % 6)),
        "three_axes": lazy.reshape(X, (2, 6, 2), lambda i, j, k: (2 * i + k, j)),
        "repeated": lazy.broadcast(lazy.reshape(X, (4, 1), lambda i, j: (i, 2)), (3, 4, 5)),
        "windows": lazy.lazy_reduce(add, lazy.reshape(X, (4, 4, 3), lambda i, j, k: (i, j + k)), [2]),
        "stacked": lazy.stack([X, Y, X * Y], 1),
        "stack_of_numbers": lazy.reshape(lazy.stack([N, N + N]), (4, 2), lambda i, j: (j, i, 3)),
        "constant": X * lazy.constant(np.arange(24.0).reshape(4, 6)),
        "product": outer(X, Y),
        "product_of_a_map": outer(lazy.exp(X), Y) + 1.0,
        "products": batched(X, Y),
        "shared": (X + Y) * lazy.broadcast(lazy.lazy_reduce(add, X + Y, [1]), (4, 6), [0]),
        "input": X,
    }


ON_THE_CHIP = ("arithmetic", "functions", "choice", "given", "sum", "largest", "turned", "windows", "stacked", "shared")


@pytest.mark.parametrize("device", ["cpp", "host"])
def test_as_the_reference(device: str) -> None:
    compare(lazy.evaluate(some(), device, **VALUES))


@pytest.mark.parametrize("name", [n if n in ON_THE_CHIP else pytest.param(n, marks=pytest.mark.slow) for n in some()])
def test_as_the_reference_on_the_chip(name: str) -> None:
    output = some()[name]
    compare({name: lazy.evaluate(output, "chip", **{key: VALUES[key] for key in inputs_of(output)})})


def compare(found: dict[str, Any]) -> None:
    for name, value in found.items():
        output = some()[name]
        wanted = lazy.evaluate(output, **{key: VALUES[key] for key in inputs_of(output)})
        assert (value.shape, value.dtype) == (wanted.shape, wanted.dtype), name
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("device", ["cpp", "host"])
def test_a_product_of_elements(device: str) -> None:
    """The chip has no reduction by multiplication."""
    x = lazy.lazy_reduce(lambda a, b: a * b, X, [1])
    found = lazy.evaluate(x, device, x=VALUES["x"])
    np.testing.assert_allclose(found, np.prod(VALUES["x"].astype(float), 1), rtol=1e-5)


INDEPENDENT: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, y: (x + y) * (x - y) / y - 2,
    "sum_of_all": lambda x, y: (x * y).sum(),
    "largest": lambda x, y: x.max(1),
    "turned": lambda x, y: x.T,
    "cut": lambda x, y: x[1::2, 5::-2],
    "flat": lambda x, y: x.ravel(),
    "three_axes": lambda x, y: x.reshape(2, 2, 6).transpose(0, 2, 1),
    "repeated": lambda x, y: np.broadcast_to(x[:, 2:3], (3, 4, 5)),
    "windows": lambda x, y: x[:, :-2] + x[:, 1:-1] + x[:, 2:],
    "stacked": lambda x, y: np.stack([x, y, x * y], 1),
    "product": lambda x, y: x @ y.T,
    "products": lambda x, y: x.reshape(4, 2, 3) @ y.reshape(4, 3, 2),
    "shared": lambda x, y: (x + y) * (x + y).sum(1, keepdims=True),
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_the_reference_means_what_numpy_says(name: str) -> None:
    x, y = (VALUES[key].astype(np.float64) for key in "xy")
    found = lazy.evaluate({name: some()[name], "reads both": X + Y}, x=VALUES["x"], y=VALUES["y"])
    np.testing.assert_allclose(found[name], INDEPENDENT[name](x, y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", ["numpy", "host", "cpp"])
def test_a_number_is_repeated(device: str) -> None:
    x = lazy.array("x", ())
    wide = lazy.broadcast(x, (2, 3))
    outputs = {"wide": wide, "largest": lazy.lazy_reduce(lazy.maximum, wide, [1]), "stack": lazy.stack([wide, wide])}
    outputs["view"] = lazy.reshape(wide, (4,), lambda i: (i % 2, 1))
    outputs["sum"] = lazy.lazy_reduce(add, wide * lazy.broadcast(lazy.constant([1.0, 2.0, 4.0]), (2, 3)), [0, 1])
    two = np.full((2, 3), 2, np.float32)
    wanted = {"wide": two, "largest": two[:, 0], "stack": np.stack([two, two]), "view": np.full(4, 2), "sum": 28}
    for name, value in lazy.evaluate(outputs, device, x=np.float32(2)).items():
        np.testing.assert_array_equal(value, wanted[name], err_msg=name)
        assert value.shape == outputs[name].shape, name


@pytest.mark.parametrize("device", ["numpy", "host", "cpp"])
def test_an_input_that_nothing_reads(device: str) -> None:
    """A map to one number needs the shape of its operand only."""
    found = lazy.evaluate(lazy.lazy_map(lambda a: 1.5, X), device, x=VALUES["x"])
    np.testing.assert_array_equal(found, np.full((4, 6), 1.5, np.float32), strict=True)


@pytest.mark.parametrize("device", ["numpy", "host", "cpp"])
def test_what_has_no_elements(device: str) -> None:
    x = lazy.array("x", (4, 1, 0))
    outputs = {
        "stack": lazy.stack([x, x]), "turned": lazy.reshape(x, (0, 4), lambda i, j: (j, 0, i)), "sum": x + x,
        "cut": lazy.reshape(lazy.array("y", (5, 1)), (2, 0, 1), lambda i, j, k: (i + j, 0)),
        "total": lazy.lazy_reduce(add, x, [2]),
    }  # fmt: skip
    given = {"x": np.zeros((4, 1, 0), np.float32), "y": np.zeros((5, 1), np.float32)}
    for name, value in lazy.evaluate(outputs, device, **given).items():
        np.testing.assert_array_equal(value, np.zeros(outputs[name].shape, np.float32), err_msg=name, strict=True)


def test_nan_and_infinity_are_values() -> None:
    x = np.array([[np.nan, 1, np.inf], [2, -np.inf, 3]], np.float32)
    a = lazy.array("a", (2, 3))
    outputs = {"largest": lazy.lazy_reduce(lazy.maximum, a, [1]), "cut": lazy.maximum(a, 0.0), "sum": a - a}
    for name, value in lazy.evaluate(outputs, "cpp", a=x).items():
        np.testing.assert_array_equal(value, lazy.evaluate(outputs, a=x)[name], err_msg=name)


def test_a_large_sum_is_rounded_once() -> None:
    a = lazy.array("a", (1 << 16,))
    x = np.full(1 << 16, 0.1, np.float32)
    for device in ("numpy", "cpp"):
        assert lazy.evaluate(lazy.lazy_reduce(add, a, [0]), device, a=x) == np.float32(np.float64(x[0]) * (1 << 16))


def test_wrong_inputs_are_told() -> None:
    function = lazy.compile(X + Y)
    with pytest.raises(lazy.LazyError, match="inputs are x, y, received x"):
        function(x=VALUES["x"])
    with pytest.raises(lazy.LazyError, match=r"'y' must be float32\[4, 6\], received float64\[4, 6\]"):
        function(x=VALUES["x"], y=VALUES["y"].astype(float))
    with pytest.raises(lazy.LazyError, match=r"two inputs are called 'x': float32\[4, 6\] and float32\[3\]"):
        lazy.compile({"a": X, "b": lazy.array("x", (3,))})
    with pytest.raises(lazy.LazyError, match="no device 'gpu'"):
        lazy.compile(X, "gpu")
