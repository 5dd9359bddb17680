"""Cases of the operators of inference beyond a training step of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from haribote.graphs.cases import Case
from tests.haribote.cpp.operator_cases import case, integers, normal


def functions() -> Iterator[Case]:
    yield case("Round", np.array([0.5, 1.5, -0.5, 2.5, -1.5], np.float32))
    yield case("Abs", integers(9, 5))
    yield case("Sign", integers(2, 7))
    for op_type in ("GreaterOrEqual", "LessOrEqual"):
        yield case(op_type, integers(3, 4, 5), integers(3, 5))
    yield case("Pow", normal(3, 5), [2])
    yield case("Pow", normal(3, 5), [3])
    yield case("Mod", integers(9, 20), np.array([4, -4, 3, -3] * 5))
    yield case("Mod", integers(9, 20), np.array([4, -4, 3, -3] * 5), fmod=1)
    yield case("Mod", np.arange(9, dtype=np.uint8), np.array([255, 254, 3] * 3, np.uint8))
    yield case("Div", np.abs(integers(50, 9)), np.arange(1, 10))


def more_reductions() -> Iterator[Case]:
    for op_type in ("ReduceMin", "ReduceProd"):
        yield case(op_type, normal(5, 7), [1], keepdims=1)
        yield case(op_type, normal(2, 3, 5), [0, 2], keepdims=0)
    for op_type in ("GlobalAveragePool", "GlobalMaxPool"):
        yield case(op_type, normal(2, 3, 5, 7))
    for op_type in ("ArgMax", "ArgMin"):
        yield case(op_type, integers(3, 5, 7), axis=1, keepdims=0)
        yield case(op_type, integers(3, 5, 7), axis=0, keepdims=1, select_last_index=1)
    yield case("CumSum", normal(3, 5), 1)
    yield case("CumSum", normal(3, 5), 0, exclusive=1, reverse=1)


def places() -> Iterator[Case]:
    yield case("Concat", normal(2, 3), normal(2, 1), normal(2, 4), axis=1)
    yield case("Concat", normal(2, 3, 5), normal(4, 3, 5), axis=0)
    yield case("Split", normal(7, 3), [2, 5], axis=0, outputs=2)
    yield case("Split", normal(3, 8), outputs=2, axis=-1, num_outputs=2)
    yield case("Slice", normal(9, 8), [1, -1], [8, -7], [0, 1], [3, -2])
    yield case("Slice", normal(9, 8, 3), [-6], [-2], [1])
    yield case("Tile", normal(2, 3), [2, 3])
    yield case("Pad", normal(3, 4), [1, 0, 2, 3])
    yield case("Pad", normal(3, 4), [0, 1, 0, 2], normal())
    yield case("Pad", normal(2, 3, 4), [1, 2], normal(), [-1])
    yield case("Pad", normal(3, 4), [1, 2, 2, 3], mode="reflect")
    yield case("Pad", normal(3, 4), [1, 4, 2, 3], mode="edge")
    yield case("Gather", normal(5, 4), integers(5, 2, 3))
    yield case("Gather", normal(2, 5, 3), integers(5, 4), axis=1)
    yield case("Gather", normal(2, 5), 3, axis=1)
    yield case("GatherND", normal(3, 4, 5), integers(3, 6, 2))
    yield case("GatherND", normal(3, 4), integers(3, 2, 3, 2))
    yield case("ScatterElements", normal(5, 4), np.array([[0, 1], [3, -1]]), normal(2, 2), axis=0)
    yield case("ScatterElements", normal(5, 4), np.array([[1, 1], [3, 0]]), normal(2, 2), axis=1, reduction="add")
    yield case("ScatterND", normal(5, 4), np.array([[1], [3]]), normal(2, 4))
    yield case("ScatterND", normal(5, 4), np.array([[1, 1], [1, 1], [4, -1]]), normal(3), reduction="mul")
    yield case("ScatterND", normal(5), np.array([[1], [1]]), normal(2), reduction="max")
    yield case("Pick", normal(3, 4), [5, -1, 0, 11], fill=2.5)
    yield case("Pick", normal(3, 4), np.array([[0, 7], [11, 5]]), fill=0.0)
    yield case("Trilu", normal(4, 5))
    yield case("Trilu", normal(2, 4, 5), 1, upper=0)


def more_images() -> Iterator[Case]:
    x = normal(2, 4, 9, 11)
    yield case("AveragePool", x, kernel_shape=[2, 3], strides=[2, 1])
    yield case("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    yield case("AveragePool", x, kernel_shape=[3, 3], pads=[1, 0, 1, 2], count_include_pad=1)
    yield case("Conv", x, normal(3, 4, 3, 2), auto_pad="SAME_UPPER", strides=[2, 2])
    yield case("Conv", x, normal(3, 4, 2, 2), auto_pad="SAME_LOWER")
    yield case("Conv", x, normal(4, 1, 3, 3), normal(4), group=4, pads=[1, 1, 1, 1])


def stacks() -> Iterator[Case]:
    for left, right in (
        ((2, 3, 4, 5), (2, 3, 5, 6)), ((2, 3, 4, 5), (5, 6)), ((4, 5), (3, 5, 2)), ((2, 1, 3, 4), (5, 4, 3)),
        ((4,), (4, 3)), ((2, 3, 4), (4,)), ((4,), (4,)),
    ):  # fmt: skip
        yield case("MatMul", normal(*left), normal(*right))


MORE: dict[str, Callable[[], Iterator[Case]]] = {
    "functions": functions,
    "more reductions": more_reductions,
    "places": places,
    "more images": more_images,
    "stacks": stacks,
}
