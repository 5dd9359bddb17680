"""What padding holds after an element-wise node: where an operand is broadcast along one padded axis and padded itself
along another, and where the chip makes something else of zeros than ONNX.
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, evaluate
from haribote.stack.program.compiled import planned
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from haribote.stack.program.walk import walk
from simulator import Machine


def beside_its_maximum(op_type: str, shape: tuple[int, ...], axis: int) -> onnx.ModelProto:
    """exp of x beside its maximum along an axis, summed over the other axes: padding that is no 0 would be added."""
    builder = Builder("broadcast")
    builder.input("x", shape, np.float32)
    builder.op("ReduceMax", "x", builder.constant(np.array([axis]), "along"), name="m", keepdims=1)
    builder.op(op_type, "x", "m", name="d")
    builder.op("Exp", "d", name="e")
    others = np.array([other for other in range(len(shape)) if other != axis])
    builder.op("ReduceSum", "e", builder.constant(others, "others"), name="s", keepdims=0)
    builder.output("s")
    return builder.finish()


@pytest.mark.some(1)
@pytest.mark.parametrize("op_type", ["Sub", "Add", "Mul", "Div", "Max", "Min"])
@pytest.mark.parametrize(("shape", "axis"), [((4, 33, 2, 10), 1), ((3, 5, 7), 1), ((5, 100), 0), ((9, 3, 11), 2)])
def test_padding_of_both_kinds_is_known_or_not_relied_on(op_type: str, shape: tuple[int, ...], axis: int) -> None:
    model = beside_its_maximum(op_type, shape, axis)
    feeds = {"x": np.random.default_rng(5).uniform(0.5, 2, shape).astype(np.float32)}
    built = build(planned(model))
    assert not walk(built, feeds).wrong
    session = session_of(built.executable, Machine("native"))
    session.write("x", feeds["x"])
    session.run()
    np.testing.assert_allclose(session.outputs()["s"], evaluate(model, feeds)["s"], rtol=1e-5)


def summed_over_padding(*op_types: str, dtype: type[np.generic]) -> onnx.ModelProto:
    """Operators one after another on x, then the sums of its rows of five elements."""
    builder = Builder("zeros")
    for name in ("x", "y"):
        builder.input(name, (3, 5), dtype)
    value = "x"
    for op_type in op_types:
        value = builder.op(op_type, value, *(["y"] if op_type == "Div" else []), name=op_type.lower())
    builder.op("ReduceSum", value, builder.constant(np.array([1]), "along"), name="s", keepdims=0)
    builder.output("s")
    return builder.finish()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("op_types", "dtype"),
    [
        (("Div",), np.int32),
        (("Reciprocal", "Log", "Reciprocal"), np.float32),
        (("Reciprocal", "Sqrt", "Reciprocal"), np.float32),
        (("Div", "Log", "Reciprocal"), np.float32),
    ],
)
def test_what_the_chip_makes_of_zeros_is_not_added(op_types: tuple[str, ...], dtype: type[np.generic]) -> None:
    model = summed_over_padding(*op_types, dtype=dtype)
    feeds = {"x": np.arange(30, 45).reshape(3, 5).astype(dtype), "y": np.full((3, 5), 7, dtype)}
    session = session_of(build(planned(model)).executable, Machine("native"))
    for name, value in feeds.items():
        session.write(name, value)
    session.run()
    np.testing.assert_allclose(session.outputs()["s"], evaluate(model, feeds)["s"], rtol=1e-5)
