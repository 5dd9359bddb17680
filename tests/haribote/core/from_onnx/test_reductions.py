"""Reductions in elementary operators mean what they meant, of all axes, some and none."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.graph import Builder, evaluate
from haribote.stack.planner import elementary

OPERATORS = ("ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum")


@pytest.mark.parametrize("op_type", OPERATORS)
@pytest.mark.parametrize("axes", [None, (), (0,), (0, 2)])
@pytest.mark.parametrize("nothing", [0, 1])
@pytest.mark.parametrize("keepdims", [0, 1])
def test_reductions(op_type: str, axes: tuple[int, ...] | None, nothing: int, keepdims: int) -> None:
    builder = Builder("g")
    feeds = {"x": np.random.default_rng(1).uniform(0.5, 2, (3, 4, 2)).astype(np.float32)}
    builder.input("x", (3, 4, 2), np.float32)
    given = [] if axes is None else [builder.constant(np.array(axes, np.int64), "axes")]
    if not axes and nothing:
        wanted = feeds["x"]
    else:
        function = {"ReduceMax": np.max, "ReduceMean": np.mean, "ReduceMin": np.min, "ReduceProd": np.prod}
        function |= {"ReduceSum": np.sum, "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k))}
        wanted = function[op_type](feeds["x"].astype(np.float64), axis=axes or None, keepdims=bool(keepdims))
    builder.op(op_type, "x", *given, name="y", keepdims=keepdims, noop_with_empty_axes=nothing)
    builder.output("y")
    found = evaluate(elementary.run(builder.finish()), feeds)["y"]
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_mean_of_integers_is_whole() -> None:
    builder = Builder("g")
    builder.input("x", (2, 3), np.int64)
    builder.output(builder.op("ReduceMean", "x", builder.constant(np.array([1], np.int64), "axes"), name="y"))
    found = elementary.run(builder.finish())
    assert evaluate(found, {"x": np.array([[1, 2, 4], [5, 5, 5]])})["y"].ravel().tolist() == [2, 5]
