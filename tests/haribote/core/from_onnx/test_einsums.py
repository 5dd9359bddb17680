"""Einsum of any form, and products of integers, mean what they meant."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder, evaluate
from haribote.stack.planner import elementary

FORMS = [
    ("ij->ji", [(4, 6)]),
    ("ij->", [(4, 6)]),
    ("ii->i", [(5, 5)]),
    ("ii,ij->j", [(4, 4), (4, 5)]),
    ("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
    ("ij,k->i", [(4, 5), (3,)]),
    ("ij,jk", [(3, 4), (4, 5)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
    ("bij,bjk->bik", [(1, 3, 4), (6, 4, 5)]),
]


@pytest.mark.parametrize(("equation", "shapes"), FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_einsum(equation: str, shapes: list[tuple[int, ...]], dtype: type) -> None:
    random, builder = np.random.default_rng(3), Builder("g")
    feeds = {f"x{k}": random.integers(-9, 9, shape).astype(dtype) for k, shape in enumerate(shapes)}
    inputs = [builder.input(name, value.shape, value.dtype) for name, value in feeds.items()]
    builder.output(builder.op("Einsum", *inputs, name="y", equation=equation))
    found = elementary.run(builder.finish())
    np.testing.assert_array_equal(evaluate(found, feeds)["y"], np.einsum(equation, *feeds.values()))
    for node in found.graph.node:
        assert node.op_type != "Einsum" or (dtype == np.float32 and len(node.input) == 2)


@pytest.mark.parametrize(("a", "b"), [((5, 6), (6, 4)), ((2, 5, 6), (6, 4)), ((6,), (6, 4)), ((3, 1, 5, 6), (2, 6, 4))])
def test_products_of_integers_are_sums(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    random, builder = np.random.default_rng(3), Builder("g")
    feeds = {"a": random.integers(-99, 99, a), "b": random.integers(-99, 99, b)}
    for name, value in feeds.items():
        builder.input(name, value.shape, np.int64)
    builder.output(builder.op("MatMul", "a", "b", name="y"))
    found = elementary.run(builder.finish())
    assert "MatMul" not in {node.op_type for node in found.graph.node}
    np.testing.assert_array_equal(evaluate(found, feeds)["y"], feeds["a"] @ feeds["b"])
