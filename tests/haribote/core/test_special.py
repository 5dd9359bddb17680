"""Functions without an operator of ONNX, in single precision beside PyTorch's in double, and some on the chip."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from haribote.core.cells import trace
from haribote.core.elementwise import ELEMENTWISE
from haribote.core.special import SPECIAL, bessel, gamma, normal, plain
from haribote.frontend.compiled import CompiledGraph
from haribote.graph import Builder
from haribote.graphs.writer import NodeWriter

torch = pytest.importorskip("torch")
RANDOM = np.random.default_rng(0)
EDGES = [0, 1, -1, 2, -2, 3, 0.5, -0.5, 8, -8, 20, 1e-20, 100]
X = np.concatenate([RANDOM.uniform(-9, 9, 600), RANDOM.uniform(-40, 40, 100), EDGES]).astype(np.float32)
SHARES = np.concatenate([RANDOM.uniform(-1, 1, 600), [0, 1, -1, 1e-10, 1e-30, 2]]).astype(np.float32)
WHOLE = RANDOM.integers(-2, 10, len(X)).astype(np.float32)
FROM_0_TO_1 = ("erfinv", "special_ndtri")
NAMES = {row.aten.split()[0]: row.value for row in SPECIAL if row.aten}


def in_numpy(function: Any, *arrays: Any) -> Any:
    """The tree of a function, each operator by its row's meaning, rounded to single precision."""
    found = trace(function, [np.dtype(np.float32)] * len(arrays))

    def do(cell: Any, operands: list[Any]) -> Any:
        value = cell.value if cell.op == "number" else ELEMENTWISE[cell.op].numpy(*operands)
        return np.asarray(value, cell.dtype)

    with np.errstate(all="ignore"):
        return found.at(arrays, do)


def wanted(name: str, *arrays: Any) -> Any:
    doubles = [torch.from_numpy(array).to(torch.float64) for array in arrays]
    function = getattr(torch, name, None) or getattr(torch.special, name.removeprefix("special_"))
    return function(*doubles).to(torch.float32).numpy()


def arguments(name: str) -> tuple[Any, ...]:
    if name in FROM_0_TO_1:
        return (SHARES,)
    if name in ("atan2", "hypot"):
        return X, X[::-1].copy()
    if name == "special_zeta":
        return np.where(np.arange(len(X)) % 2, WHOLE, X / 4).astype(np.float32), X
    return (X, WHOLE) if "polynomial" in name else (X,)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_is_pytorchs(name: str) -> None:
    given = arguments(name)
    np.testing.assert_allclose(in_numpy(NAMES[name], *given), wanted(name, *given), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("order", range(5))
def test_polygamma_is_pytorchs(order: int) -> None:
    x = X[np.abs(X - np.round(X)) > 1e-2]
    expected = torch.polygamma(order, torch.from_numpy(x).to(torch.float64)).to(torch.float32).numpy()
    np.testing.assert_allclose(in_numpy(partial(gamma.polygamma, order=order), x), expected, rtol=2e-4, atol=1e-5)


def test_cube_roots_are_numpys() -> None:
    np.testing.assert_allclose(in_numpy(plain.cbrt, X), np.cbrt(X), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("function", [gamma.lgamma, gamma.digamma, normal.ndtri, normal.erfc, bessel.j0, bessel.i0e])
def test_the_chip_computes_it(function: Any) -> None:
    x = RANDOM.uniform(0.05, 0.95, 200).astype(np.float32)
    g = NodeWriter(Builder("special"))
    given = g.builder.input("x", x.shape, x.dtype)
    g.result = "y"
    g.builder.output(g.expression(trace(function, [x.dtype]), [given]))
    found = CompiledGraph(g.builder.finish())({"x": x})["y"]
    np.testing.assert_allclose(found, in_numpy(function, x), rtol=2e-5, atol=1e-5)
