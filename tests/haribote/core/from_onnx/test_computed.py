"""What picks, scatters and sorts by computed places means what it meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from haribote.graph import Builder, evaluate
from haribote.stack.planner import elementary

RANDOM = np.random.default_rng(4)
X = RANDOM.integers(-16, 17, (5, 6)).astype(np.float32)
COLUMNS = np.stack([RANDOM.permutation(6)[:3] - 6 * (RANDOM.random(3) < 0.3) for _ in range(5)])
ROWS, POINTS = np.array([[0], [4], [-3]]), np.array([[0, 1], [4, -1], [2, 2]])
KINDS = ("none", "add", "mul", "max", "min")


def after(op_type: str, feeds: dict[str, NDArray[Any]], **given: Any) -> None:
    """Check that a node of these inputs is written in other operators, and gives the same."""
    builder = Builder("g")
    inputs = [builder.input(name, value.shape, value.dtype) for name, value in feeds.items()]
    builder.output(builder.op(op_type, *inputs, name="y", **given))
    model = builder.finish()
    found = elementary.run(model)
    assert op_type not in {node.op_type for node in found.graph.node}
    np.testing.assert_array_equal(evaluate(found, feeds)["y"], evaluate(model, feeds)["y"])


@pytest.mark.parametrize("reduction", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_scatters(reduction: str, dtype: type) -> None:
    updates = RANDOM.integers(-9, 9, (5, 3))
    for op_type, index, values, given in (
        ("ScatterElements", COLUMNS, updates, {"axis": 1}),
        ("ScatterElements", COLUMNS[:2], updates[:2], {"axis": 1}),
        ("ScatterND", ROWS, RANDOM.integers(-9, 9, (3, 6)), {}),
        ("ScatterND", POINTS, updates[0], {}),
    ):
        feeds = {"x": X.astype(dtype), "i": index, "u": values.astype(dtype)}
        after(op_type, feeds, reduction=reduction, **given)


def test_of_two_updates_of_an_element_the_last_stays() -> None:
    feeds = {"x": X, "i": np.array([[1, 1, 0]]), "u": np.array([[7, 8, 9]], np.float32)}
    builder = Builder("g")
    inputs = [builder.input(name, value.shape, value.dtype) for name, value in feeds.items()]
    builder.output(builder.op("ScatterElements", *inputs, name="y", axis=1))
    assert evaluate(elementary.run(builder.finish()), feeds)["y"][0, :2].tolist() == [9, 8]


@pytest.mark.parametrize(
    ("shape", "index", "batch"),
    [
        ((5, 6, 3), ROWS, 0),
        ((5, 6, 3), POINTS, 0),
        ((3, 6), ROWS, 1),
        ((7, 16, 1), np.array([3, 5]), 0),  # one place: what lies behind it keeps its axis of size 1
        ((2, 1, 3, 1), np.array([[0, 2], [0, -1]]), 1),
    ],
)
def test_gather_nd(shape: tuple[int, ...], index: NDArray[np.int64], batch: int) -> None:
    after("GatherND", {"x": RANDOM.standard_normal(shape).astype(np.float32), "i": index}, batch_dims=batch)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_hot_along_any_axis(axis: int) -> None:
    builder = Builder("g")
    builder.input("l", (4, 3), np.int64)
    depth, values = builder.constant(np.array(5), "d"), builder.constant(np.array([-1, 2], np.float32), "v")
    builder.output(builder.op("OneHot", "l", depth, values, name="y", axis=axis))
    model = builder.finish()
    feeds = {"l": RANDOM.integers(-5, 5, (4, 3))}
    np.testing.assert_array_equal(evaluate(elementary.run(model), feeds)["y"], evaluate(model, feeds)["y"])


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_top_k(axis: int, largest: int) -> None:
    builder = Builder("g")
    builder.input("x", (4, 5), np.float32)
    inputs, given = ["x", builder.constant(np.array([3]), "k")], {"axis": axis, "largest": largest}
    node = onnx.helper.make_node("TopK", inputs, ["v", "i"], name="v", **given)
    builder.model.graph.node.append(node)
    for name in ("v", "i"):
        builder.output(name)
    x = RANDOM.integers(0, 3, (4, 5)).astype(np.float32)
    order = np.argsort(-x if largest else x, axis=axis, kind="stable").take(range(3), axis)
    found = evaluate(elementary.run(builder.finish()), {"x": x})
    np.testing.assert_array_equal(found["i"], order)
    np.testing.assert_array_equal(found["v"], np.take_along_axis(x, order, axis))


def test_padding_by_a_computed_value() -> None:
    builder = Builder("g")
    builder.input("x", (2, 3), np.float32)
    builder.input("v", (), np.float32)
    builder.output(builder.op("Pad", "x", builder.constant(np.array([0, 1, 2, 0]), "p"), "v", name="y"))
    feeds = {"x": np.ones((2, 3), np.float32), "v": np.array(7, np.float32)}
    found = evaluate(elementary.run(builder.finish()), feeds)["y"]
    np.testing.assert_array_equal(found, np.pad(feeds["x"], ((0, 2), (1, 0)), constant_values=7))
