"""Chains of operators that only move elements become few, and the values stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from haribote.graph import Builder, evaluate
from haribote.passes import join_moves

X = np.arange(48, dtype=np.float32).reshape(6, 8)


class Moves:
    """A graph of moves of one input; `model` computes on the last value."""

    def __init__(self) -> None:
        self.builder = Builder("moves")
        self.builder.input("x", X.shape, X.dtype)

    def whole(self, *numbers: int) -> str:
        return self.builder.constant(np.array(numbers, np.int64), "numbers")

    def op(self, kind: str, *names: str, **attributes: Any) -> str:
        return self.builder.op(kind, *names, name=kind.lower(), **attributes)

    def slice(self, value: str, start: int, end: int, axis: int, step: int = 1) -> str:
        return self.op("Slice", value, *(self.whole(number) for number in (start, end, axis, step)))

    def model(self, value: str) -> onnx.ModelProto:
        self.builder.op("Neg", value, name="y")
        self.builder.output("y")
        return self.builder.finish()


def rolled(m: Moves) -> str:
    """One place along the rows: the last row first."""
    return m.op("Concat", m.slice("x", 5, 6, 0), m.slice("x", 0, 5, 0), axis=0)


def shifted(m: Moves) -> str:
    """Padded on one side, then cut on the other."""
    padded = m.op("Pad", "x", m.whole(0, 1, 0, 0), m.builder.scalar(7.0))
    return m.slice(padded, 0, 8, 1)


def cut_twice(m: Moves) -> str:
    return m.slice(m.slice("x", 1, 6, 0), 7, 0, 1, -2)


def turned_twice(m: Moves) -> str:
    return m.op("Transpose", m.slice(m.op("Transpose", "x", perm=[1, 0]), 2, 5, 0), perm=[1, 0])


def zeros_beside(m: Moves) -> str:
    zeros = m.builder.constant(np.zeros((6, 2), np.float32), "zeros")
    return m.slice(m.op("Concat", "x", zeros, axis=1), 3, 10, 1)


def rolled_and_padded(m: Moves) -> str:
    return m.op("Pad", rolled(m), m.whole(1, 0, 0, 2), m.builder.scalar(-1.0))


def nothing(m: Moves) -> str:
    return m.op("Transpose", m.op("Transpose", "x", perm=[1, 0]), perm=[1, 0])


@pytest.mark.parametrize(
    ("moves", "left"),
    [
        (rolled, ["Gather"]),
        (shifted, ["Slice", "Pad"]),
        (cut_twice, ["Slice"]),
        (turned_twice, ["Slice"]),
        (zeros_beside, ["Slice", "Pad"]),
        (rolled_and_padded, ["Gather", "Pad"]),
        (nothing, []),
    ],
)
def test_a_chain_becomes_few_operators(moves: Callable[[Moves], str], left: list[str]) -> None:
    made = Moves()
    model = made.model(moves(made))
    joined = join_moves.run(model)
    assert [node.op_type for node in joined.graph.node] == [*left, "Neg"]
    np.testing.assert_array_equal(evaluate(joined, {"x": X})["y"], evaluate(model, {"x": X})["y"])


def test_other_chains_stay() -> None:
    made = Moves()
    flat = made.op("Reshape", made.slice("x", 1, 4, 0), made.whole(24))  # no axis of x is one of these
    model = made.model(flat)
    assert [node.op_type for node in join_moves.run(model).graph.node] == ["Slice", "Reshape", "Neg"]


def test_two_values_side_by_side_stay_two() -> None:
    made = Moves()
    model = made.model(made.op("Concat", made.slice("x", 0, 2, 0), made.op("Exp", "x"), axis=0))
    joined = join_moves.run(model)
    assert [node.op_type for node in joined.graph.node] == ["Slice", "Exp", "Concat", "Neg"]


def test_indices_of_int64_are_not_followed() -> None:
    """Numbers that say where elements go are none of them."""
    made = Moves()
    where = made.op("Cast", made.slice("x", 0, 1, 0), to=onnx.TensorProto.INT64)
    model = made.model(made.op("Gather", made.slice("x", 0, 2, 0), made.slice(where, 0, 2, 1), axis=0))
    feeds = {"x": X * 0}
    np.testing.assert_array_equal(evaluate(join_moves.run(model), feeds)["y"], evaluate(model, feeds)["y"])
