"""The packed tiles: sizes around every limit of the blocking, in all forms, and what is done to a tile at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from haribote.cpp.gemm import CHOICES
from haribote.cpp.session import sessions
from haribote.graph import Builder
from haribote.passes import fuse

SIZES = ((512, 33, 273), (515, 16, 5), (7, 64, 272), (600, 1073, 3), (521, 49, 600), (1, 1, 1), (16, 784, 32))
"""m, n, k: less, as much and more than a tile, a strip, a block (512 rows, 1024 columns) and a depth (272)."""
random = np.random.default_rng(0)


@pytest.mark.slow
def test_every_form_around_every_limit() -> None:
    cases = {f"p_{m}_{n}_{k}_{a}{b}": (m, n, k, a, b) for (m, n, k), a, b in itertools.product(SIZES, (0, 1), (0, 1))}
    graphs = {}
    for name, (m, n, k, trans_a, trans_b) in cases.items():
        builder = Builder(name)
        a = builder.input("a", (k, m) if trans_a else (m, k), np.float32)
        b = builder.input("b", (n, k) if trans_b else (k, n), np.float32)
        builder.output(builder.op("Gemm", a, b, name="y", transA=trans_a, transB=trans_b))
        graphs[name] = builder.finish()
    for name, session in sessions(graphs, "packed").items():
        m, n, k, trans_a, trans_b = cases[name]
        a, b = random.standard_normal((m, k)).astype(np.float32), random.standard_normal((k, n)).astype(np.float32)
        session.write("a", a.T.copy() if trans_a else a)
        session.write("b", b.T.copy() if trans_b else b)
        session.run()
        wanted = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_allclose(session.read("y"), wanted, atol=1e-6 * k + 1e-6, err_msg=name)


@pytest.mark.parametrize("gemm", [name for name in CHOICES if name not in ("naive", "reordered", "emitted")])
def test_what_follows_a_product(gemm: str) -> None:
    """A bias of one row, one number per row and a whole matrix, after sums that are made in several pieces."""
    if gemm == "blas":
        pytest.importorskip("scipy_openblas32", reason="pip install scipy-openblas32 (the extra blas)")
    m, n, k = 525, 45, 600
    builder = Builder("fused")
    shapes = {"a": (m, k), "b": (k, n), "bias": (n,), "scale": (m, 1), "old": (m, n)}
    a, b, bias, scale, old = (builder.input(name, shape, np.float32) for name, shape in shapes.items())
    value = builder.op("Relu", builder.op("Gemm", a, b, bias, name="product", alpha=0.5), name="relu")
    builder.output(builder.op("Sub", old, builder.op("Mul", value, scale, name="scaled"), name="y"))
    model = fuse.run(builder.finish())
    assert len(model.graph.node) == 1
    given = {name: random.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    session = sessions({"fused": model}, gemm)["fused"]
    for name, value in given.items():
        session.write(name, value)
    session.run()
    product = 0.5 * (given["a"].astype(np.float64) @ given["b"]) + given["bias"]
    wanted = given["old"] - np.maximum(product, 0) * given["scale"]
    np.testing.assert_allclose(session.read("y"), wanted, atol=1e-4)
