"""The engines of the host against ONNX's reference evaluator."""

from __future__ import annotations

import sys

import numpy as np
import onnx
import pytest
import torch

from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Builder, evaluate
from haribote.partition import host


def small() -> onnx.ModelProto:
    """A product, a mask, and the gradient of a logarithm of softmax: a function of our own domain."""
    builder = Builder("small")
    x, w = builder.input("x", (4, 6), np.float32), builder.input("w", (6, 3), np.float32)
    y = builder.op("Relu", builder.op("MatMul", x, w, name="product"), name="y")
    log_p = builder.op("LogSoftmax", y, name="log_p", axis=1)
    builder.output(builder.op("LogSoftmaxGrad", y, log_p, name="grad"))
    builder.output(y)
    return builder.finish()


def feeds(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {"x": random.normal(size=(4, 6)).astype(np.float32), "w": random.normal(size=(6, 3)).astype(np.float32)}


@pytest.mark.parametrize("engine", ["onnxruntime", "C++", "reference"])
def test_every_engine_gives_the_reference(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine == "onnxruntime":
        pytest.importorskip("onnxruntime")
    else:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)
    if engine == "reference":
        monkeypatch.setattr(host, "generated", lambda model: None)
    name, run = host.fastest(model := small())
    assert name == engine
    first = run(feeds(0))
    kept = {key: value.copy() for key, value in first.items()}
    for seed in (1, 0):
        wanted, found = evaluate(model, feeds(seed)), run(feeds(seed))
        for key in ("grad", "y"):
            np.testing.assert_allclose(found[key], wanted[key], rtol=1e-5, atol=1e-6)
    assert all(np.array_equal(first[key], kept[key]) for key in kept)  # a later run changes no result


def test_a_compiled_graph_says_what_runs_it() -> None:
    graph = CompiledGraph(small(), Options("host", host="fastest"))
    np.testing.assert_allclose(graph(feeds(2))["y"], evaluate(small(), feeds(2))["y"], rtol=1e-5, atol=1e-6)
    assert graph.engine in ("onnxruntime", "C++", "reference")
    assert CompiledGraph(small(), Options("host")).engine == "reference"


@pytest.mark.parametrize(("shape", "perm"), [((5, 6), [1, 0]), ((5, 5), [1, 0]), ((2, 5, 6), [0, 2, 1])])
def test_a_transposed_matrix_by_a_vector(shape: tuple[int, ...], perm: list[int]) -> None:
    """onnxruntime's optimisation takes the matrix as it was before."""
    builder, random = Builder("turned"), np.random.default_rng(0)
    a, v = builder.input("a", shape, np.float32), builder.input("v", (5,), np.float32)
    builder.output(builder.op("MatMul", builder.op("Transpose", a, perm=perm, name="t"), v, name="y"))
    given = {"a": random.normal(size=shape).astype(np.float32), "v": random.normal(size=5).astype(np.float32)}
    model = builder.finish()
    _, run = host.fastest(model)
    np.testing.assert_allclose(run(given)["y"], evaluate(model, given)["y"], rtol=1e-5, atol=1e-5)


def test_a_transposed_convolution_that_adds_as_much_as_its_stride() -> None:
    """onnxruntime refuses it when it runs; a dilation of 2 allows it."""
    builder, random = Builder("wide"), np.random.default_rng(0)
    x, w = builder.input("x", (1, 2, 4), np.float32), builder.input("w", (2, 1, 2), np.float32)
    builder.output(builder.op("ConvTranspose", x, w, name="y", dilations=[2], output_padding=[1]))
    given = {key: random.normal(size=size).astype(np.float32) for key, size in (("x", (1, 2, 4)), ("w", (2, 1, 2)))}
    _, run = host.fastest(builder.finish())
    wanted = torch.nn.functional.conv_transpose1d(
        torch.tensor(given["x"]), torch.tensor(given["w"]), output_padding=1, dilation=2
    )
    np.testing.assert_allclose(run(given)["y"], wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("engine", ["onnxruntime", "C++", "reference"])
def test_a_number_without_axes(engine: str) -> None:
    """As `evaluate` gives them: a number of NumPy, no array."""
    if engine == "onnxruntime":
        pytest.importorskip("onnxruntime")
    builder = Builder("double")
    x = builder.input("x", (), np.float32)
    builder.output(builder.op("Add", x, x, name="y"))
    makers = host.engines() | {"C++": host.generated}
    run = makers[engine](builder.finish())
    assert run is not None and run({"x": np.float32(2)})["y"] == 4
