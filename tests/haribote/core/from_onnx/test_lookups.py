"""Gathers by computed indices mean the same as Pick."""

from __future__ import annotations

import numpy as np
import pytest

from haribote.core.from_onnx import lower
from haribote.graph import evaluate
from haribote.stack.planner import elementary
from tests.haribote.core.from_onnx.test_elementary import graph


@pytest.mark.parametrize("kind", ["float", "int32"])
@pytest.mark.parametrize(("shape", "axis"), [((3, 5, 4, 2), 1), ((6, 4), 0), ((5,), 0)])
def test_one_of_a_short_row_is_found_by_comparing(shape: tuple[int, ...], axis: int, kind: str) -> None:
    one = [1 if k == axis else size for k, size in enumerate(shape)]
    sizes, ones = (",".join(map(str, numbers)) for numbers in (shape, one))
    model = graph(
        f"({kind}[{sizes}] x, int64[{ones}] l) => ({kind}[{ones}] y) {{ y = GatherElements<axis = {axis}>(x, l) }}"
    )
    after = elementary.run(model)
    assert "ReduceSum" in {node.op_type for node in after.graph.node}
    random = np.random.default_rng(1)
    rows = random.integers(-shape[axis], shape[axis], one)
    x = random.integers(-100, 100, shape).astype(np.float32 if kind == "float" else np.int32)
    found = evaluate(after, {"x": x, "l": rows})["y"]
    np.testing.assert_array_equal(found, np.take_along_axis(x, rows, axis))


@pytest.mark.parametrize(
    ("body", "shape", "end"),
    [
        ("(float[7,6] x, int32[5] l) => (float[5,6] y) { y = Gather(x, l) }", 5, 7),
        ("(float[7,6] x, int64[5,2] l) => (float[7,5,2] y) { y = Gather<axis = -1>(x, l) }", (5, 2), 6),
        ("(float[7,6] x, int64 l) => (float[6] y) { y = Gather(x, l) }", (), 7),
        ("(float[7,6,4] x, int32[3] l) => (float[7,3,4] y) { y = Gather<axis = 1>(x, l) }", 3, 6),
        ("(float[7] x, int32[3,2] l) => (float[3,2] y) { y = Gather(x, l) }", (3, 2), 7),
        ("(float[7,6] x, int32[7,3] l) => (float[7,3] y) { y = GatherElements<axis = 1>(x, l) }", (7, 3), 6),
        ("(float[7,6,3] x, int32[4,6,3] l) => (float[4,6,3] y) { y = GatherElements(x, l) }", (4, 6, 3), 7),
    ],
)
def test_the_meaning_stays(body: str, shape: int | tuple[int, ...], end: int) -> None:
    model = graph(body)
    after = lower(model)
    assert "Pick" in {node.op_type for node in after.graph.node}
    assert not {"Gather", "GatherElements", "Mul"} & {node.op_type for node in after.graph.node}
    random = np.random.default_rng(1)
    sizes = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    rows = random.integers(-end, end, shape).astype(np.int64 if "int64" in body else np.int32)
    values = {"x": random.standard_normal(sizes).astype(np.float32), "l": np.asarray(rows)}
    np.testing.assert_array_equal(evaluate(after, values)["y"], evaluate(model, values)["y"])
