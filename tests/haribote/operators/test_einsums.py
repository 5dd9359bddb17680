"""Einsum whose operands have 1 and more for the same letter: the shapes of its result, and what is computed from it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from haribote.frontend.compiled import CompiledGraph, Options
from haribote.frontend.onnx_file import adapted
from haribote.graph import Index
from haribote.operators.einsums import with_equal_sizes

CASES = [
    ("bij,bjk->bik", (1, 3, 4), (6, 4, 5)),
    ("bij,bjk->bik", (6, 3, 4), (1, 4, 5)),
    ("ij,ij->ij", (1, 4), (3, 1)),
    ("...ij,...jk->...ik", (2, 1, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 3, 1), (2, 4, 5)),
    ("ij,jk", (1, 4), (1, 5)),
]


def mean_of(equation: str, *shapes: tuple[int | str, ...]) -> onnx.ModelProto:
    """The mean over the first axis of an Einsum."""
    inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in zip("ab", shapes, strict=True)]
    nodes = [
        helper.make_node("Einsum", ["a", "b"], ["e"], name="e", equation=equation),
        helper.make_node("ReduceMean", ["e"], ["y"], name="y", axes=[0], keepdims=0),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "mean", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize(("equation", "a", "b"), CASES)
def test_the_mean_of_a_broadcast_einsum_is_that_of_numpy(equation: str, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    feeds = {name: random.standard_normal(shape).astype(np.float32) for name, shape in (("a", a), ("b", b))}
    wanted = np.einsum(equation, feeds["a"], feeds["b"])
    model = adapted(mean_of(equation, a, b), {})
    assert Index(model).shape["e"] == wanted.shape
    for device in ("host", "auto"):
        found = CompiledGraph(model, Options(device))(feeds)["y"]
        np.testing.assert_allclose(found, wanted.mean(0), rtol=1e-5, atol=1e-5)


def test_axes_that_are_open_get_their_sizes_first() -> None:
    model = adapted(mean_of("bij,bjk->bik", ("one", 3, 4), (6, 4, 5)), {"one": 1})
    assert Index(model).shape["e"] == (6, 3, 5)


@pytest.mark.parametrize(
    "equation", ["bij,bjk->bik", "bij,bjj->bij", "bij->bik", "bijq,bjk->bik", "", "bij,bjk,k->bik"]
)
def test_what_has_equal_sizes_or_does_not_fit_stays(equation: str) -> None:
    model = mean_of(equation, (6, 3, 4), (6, 4, 5))
    assert with_equal_sizes(model) is model
