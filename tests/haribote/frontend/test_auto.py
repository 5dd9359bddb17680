"""`device="auto"` as the front ends use it."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Builder, evaluate


def test_a_graph_with_doubles_inside_is_cut() -> None:
    builder = Builder("doubles")
    x = builder.op("Relu", builder.input("x", (8, 4), np.float32), name="positive")
    wide = builder.op("Sqrt", builder.op("Cast", x, name="wide", to=11), name="root")
    builder.output(builder.op("Neg", builder.op("Cast", wide, name="narrow", to=1), name="y"))
    model = builder.finish()
    graph = CompiledGraph(model, Options(device="auto"))
    assert graph.cut is not None and graph.coverage == "2 of 5"
    assert set(graph.cut.reasons.values()) == {"float64 is no type of the chip"}
    assert graph.engine.startswith("chip and ") and graph.cost is not None and graph.cost.cycles > 0
    value = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
    np.testing.assert_allclose(graph({"x": value})["y"], evaluate(model, {"x": value})["y"], atol=1e-6)


@pytest.mark.slow
def test_jax_programs_may_be_cut() -> None:
    jax = pytest.importorskip("jax")
    from haribote.jax import mnjit

    program = mnjit(lambda a: jax.numpy.sort(jax.numpy.tanh(a), axis=1) + 1, device="auto")
    value = np.random.default_rng(0).standard_normal((4, 6)).astype(np.float32)
    np.testing.assert_allclose(program(value), np.sort(np.tanh(value), axis=1) + 1, atol=1e-5)
