"""OpenBLAS beside the templates: the same products, and what is said where it is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from haribote.cpp.blas import BlasMissing, arguments
from haribote.cpp.session import sessions
from haribote.graph import Builder


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy_openblas32", None)
    with pytest.raises(BlasMissing, match=r"not installed.*\n.*pip install scipy-openblas32"):
        arguments("blas")
    assert arguments("packed") == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(dtype: type) -> None:
    pytest.importorskip("scipy_openblas32", reason="pip install scipy-openblas32 (the extra blas)")
    random, (m, n, k) = np.random.default_rng(0), (5, 7, 300)
    builder = Builder("products")
    inputs = {"a": (m, k), "at": (k, m), "b": (k, n), "bt": (n, k)}
    for name, shape in inputs.items():
        builder.input(name, shape, dtype)
    for first, second in (("a", "b"), ("a", "bt"), ("at", "b"), ("at", "bt")):
        forms = {"transA": int(first == "at"), "transB": int(second == "bt")}
        builder.output(builder.op("Gemm", first, second, name=f"{first}_{second}", **forms))
    session = sessions({"products": builder.finish()}, "blas")["products"]
    a, b = random.standard_normal((m, k)).astype(dtype), random.standard_normal((k, n)).astype(dtype)
    for name, value in {"a": a, "at": a.T.copy(), "b": b, "bt": b.T.copy()}.items():
        session.write(name, value)
    session.run()
    for name, value in session.outputs().items():
        np.testing.assert_allclose(value, a.astype(np.float64) @ b, atol=1e-4, err_msg=name)
