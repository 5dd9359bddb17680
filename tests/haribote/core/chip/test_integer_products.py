"""Products, quotients and remainders of 32 bits against Python's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.haribote.stack.vectors.chip import apply

Array = NDArray[Any]
COUNT = 4096 * 8


def integers(seed: int) -> Array:
    """Of all sizes, int32; the first ones are the extreme ones."""
    random = np.random.default_rng(seed)
    found = random.integers(-(2**31), 2**31, COUNT) >> random.integers(0, 31, COUNT)
    found[:6] = random.permutation([2**31 - 1, 1 - 2**31, 1, -1, 2**16, -(2**16)])
    return found.astype(np.int32)


X, Y = integers(1), np.where(integers(2) == 0, 7, integers(2)).astype(np.int32)


def wrapped(x: Array) -> Array:
    """Modulo 2^32."""
    return (x & 0xFFFFFFFF).astype(np.uint32)


def results(x: Array, y: Array) -> dict[str, Array]:
    """What int64 gives."""
    x, y = x.astype(np.int64), y.astype(np.int64)
    towards_0 = np.abs(x) // np.abs(y) * np.sign(x) * np.sign(y)
    found = {"Mul": wrapped(x * y), "Div": wrapped(towards_0), "Mod": wrapped(x % y)}
    return found | {"Mod like C": wrapped(x - y * towards_0)}


@pytest.mark.parametrize("name", ["Mul", "Div", "Mod", "Mod like C"])
def test_signed(name: str) -> None:
    attributes = {"fmod": 1} if name == "Mod like C" else {}
    found = apply(f"y = {name.split()[0]} a b", X, Y, as_type=np.uint32, **attributes)
    assert np.array_equal(found, results(X, Y)[name])


@pytest.mark.parametrize("name", ["Mul", "Div", "Mod"])
def test_unsigned(name: str) -> None:
    x, y = X.view(np.uint32), Y.view(np.uint32)
    found = apply(f"y = {name} a b", x, y, as_type=np.uint32)
    expected = {"Mul": wrapped(x.astype(np.int64) * (y & 0xFFFF)), "Div": x // y, "Mod": x % y}
    if name == "Mul":
        found = apply("y = Mul a b", x, y & np.uint32(0xFFFF), as_type=np.uint32)
    assert np.array_equal(found, expected[name])


@pytest.mark.slow
@pytest.mark.parametrize("constant", [1, 8, 10, -7, 65536])
@pytest.mark.parametrize("name", ["Mul", "Div", "Mod"])
def test_by_constants(name: str, constant: int) -> None:
    found = apply(f"y = {name} a k", X, as_type=np.uint32, constants={"k": np.array(constant, np.int32)})
    assert np.array_equal(found, results(X, np.full_like(X, constant))[name])


def test_powers() -> None:
    found = apply("y = Pow a k", X, as_type=np.uint32, constants={"k": np.array(3, np.int32)})
    assert found.tolist() == [int(x) ** 3 & 0xFFFFFFFF for x in X]
