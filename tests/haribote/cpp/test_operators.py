"""Every operator template against ONNX's reference evaluator, on random values in odd shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from haribote.core.elementwise import ELEMENTWISE
from haribote.cpp.cases import run_in_cpp
from haribote.cpp.operators import ALGORITHMS, template
from haribote.cpp.rules import RULES
from haribote.errors import UnsupportedOp
from haribote.graph import Index
from haribote.graphs.cases import Case
from tests.haribote.cpp.more_operator_cases import MORE
from tests.haribote.cpp.operator_cases import BROADCASTS, SHAPES, case, check, integers, normal, positive, random

Array = NDArray[Any]


def elementwise() -> Iterator[Case]:
    yield from (case("Relu", normal(*shape)) for shape in SHAPES)
    for op_type in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Greater", "Less"):
        for shape in SHAPES[::3]:
            yield case(op_type, normal(*shape), positive(*shape))
        for left, right in BROADCASTS if op_type == "Sub" else BROADCASTS[2:4]:
            yield case(op_type, normal(*left), positive(*right))
            yield case(op_type, normal(*right), positive(*left))
    yield case("Add", integers(100, 4, 5), integers(100, 5))
    yield case("Equal", integers(2, 4, 5), integers(2, 5))
    yield case("Where", normal(4, 5) > 0, normal(5), normal(4, 1))
    yield case("Cast", 5 * normal(3, 7), to=7)
    yield case("Cast", normal(3, 7) > 0, to=1)
    yield case("Cast", integers(2, 3, 7), to=9)
    yield case("Cast", integers(1000, 11), to=6)
    yield case("Cast", normal(11), to=11)
    yield case("Expand", normal(3, 1), [2, 3, 5])


def movement() -> Iterator[Case]:
    yield case("Reshape", normal(6, 5), [3, 10])
    yield case("Flatten", normal(2, 3, 5))
    yield case("Squeeze", normal(2, 1, 5), [1])
    yield case("Unsqueeze", integers(9, 7), [1])
    yield case("Slice", normal(7, 5), [2, -3], [6, 9])
    yield case("Transpose", normal(7, 5))
    yield case("Transpose", normal(1, 9), perm=[1, 0])
    yield case("Transpose", normal(2, 3, 5, 7), perm=[0, 2, 3, 1])
    yield case("Transpose", normal(2, 3, 5, 7), perm=[3, 0, 2, 1])
    yield case("GatherElements", normal(5, 7), integers(7, 5, 1), axis=1)
    yield case("GatherElements", normal(4, 3, 2), integers(4, 6, 3, 2), axis=0)
    yield case("OneHot", integers(9, 13), 9, [0, 1])
    yield case("OneHot", integers(4, 3, 2).astype(np.int32), 4, [-1, 2.5], axis=-1)


def reductions() -> Iterator[Case]:
    for op_type in ("ReduceSum", "ReduceMean", "ReduceMax"):
        yield case(op_type, normal(17, 5), [1], keepdims=1)
        yield case(op_type, normal(17, 5), [0], keepdims=0)
        yield case(op_type, normal(2, 3, 5, 7), [0, -1, 2], keepdims=0)
        yield case(op_type, normal(3, 1, 4), [1], keepdims=0)
        yield case(op_type, normal(33, 3), keepdims=0)
    yield case("ReduceSum", integers(50, 6, 7), [1], keepdims=0)
    yield case("ReduceMax", integers(50, 6, 7), [1], keepdims=0)


def losses() -> Iterator[Case]:
    for rows, classes in ((1, 1), (1, 10), (33, 3)):
        log_p = np.log(positive(rows, classes))
        labels = np.abs(integers(classes, rows)) % classes
        yield case("Softmax", 30 * normal(rows, classes))
        yield case("LogSoftmax", 5 * normal(rows, classes), axis=1)
        yield case("LogSoftmaxGrad", normal(rows, classes), log_p)
        for shape in ((), (rows, 1), (rows, classes)):
            yield case("NLLLossGrad", normal(*shape), labels, classes=classes)
        for reduction in ("none", "sum", "mean"):
            yield case("NegativeLogLikelihoodLoss", log_p, labels, reduction=reduction)


def images() -> Iterator[Case]:
    x = normal(2, 4, 9, 11)
    yield case("Conv", x, normal(6, 4, 3, 3))
    yield case("Conv", x, normal(6, 4, 3, 3), normal(6), pads=[1, 1, 1, 1])
    yield case("Conv", x, normal(5, 4, 2, 3), normal(5), pads=[0, 1, 2, 1], strides=[2, 3], dilations=[1, 2])
    yield case("Conv", x, normal(6, 2, 3, 1), group=2)
    yield case("Conv", normal(1, 1, 28, 28), normal(1, 1, 28, 28))
    yield case("ConvTranspose", x, normal(4, 3, 3, 2), strides=[2, 2], pads=[1, 0, 1, 0])
    yield case("ConvTranspose", x, normal(4, 3, 3, 2), normal(3), output_padding=[1, 0], strides=[2, 1])
    yield case("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    yield case("MaxPool", x, kernel_shape=[3, 2], strides=[1, 2], pads=[1, 0, 1, 1])
    yield case("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], outputs=2)
    yield case("MaxPoolGrad", normal(2, 4, 4, 5), x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0])
    yield case("MaxPoolGrad", normal(2, 4, 9, 6), x, kernel_shape=[3, 2], strides=[1, 2], pads=[1, 0, 1, 1])


def products() -> Iterator[Case]:
    sizes = [(1, 1, 1), (8, 16, 32), (5, 3, 7), (9, 300, 33), (4, 513, 10), (17, 2, 65), (1, 29, 48), (33, 64, 1)]
    for m, k, n in sizes:
        for trans_a, trans_b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            a, b = normal(*((k, m) if trans_a else (m, k))), normal(*((n, k) if trans_b else (k, n)))
            yield case("Gemm", a, b, transA=trans_a, transB=trans_b)
    yield case("Gemm", normal(5, 3), normal(3, 7), alpha=0.5)
    yield case("Gemm", normal(5, 3), normal(3, 7), normal(7))
    yield case("Gemm", normal(5, 3), normal(3, 7), normal(5, 1), alpha=0.5, beta=-2.0)
    yield case("Gemm", normal(5, 3).astype(np.float64), normal(3, 19).astype(np.float64))
    yield case("MatMul", normal(5, 3), normal(3, 7))


Built = list[tuple[Case, dict[str, Array]]]
GROUPS: dict[str, Callable[[], Iterator[Case]]] = {
    "elementwise": elementwise,
    "movement": movement,
    "reductions": reductions,
    "losses": losses,
    "images": images,
    **MORE,
}


@pytest.mark.parametrize("group", [pytest.param(g, marks=pytest.mark.slow) if g in MORE else g for g in GROUPS])
def test_templates_agree_with_the_reference(group: str) -> None:
    cases = list(GROUPS[group]())
    check(cases, run_in_cpp(cases))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_products_agree_with_the_reference(algorithm: str) -> None:
    cases = list(products())
    check(cases, run_in_cpp(cases, algorithm))


def test_every_rule_is_tested() -> None:
    tested = {part.model.graph.node[0].op_type for make in (*GROUPS.values(), products) for part in make()}
    assert set(RULES) - tested - ELEMENTWISE.keys() == set()  # those of the table: tests/haribote/core


def test_nan_stays_nan() -> None:
    x = np.array([[np.nan, 1], [2, np.nan]], np.float32)
    cases = [case("Relu", x), case("Max", x, x.T.copy()), case("ReduceMax", x, [1], keepdims=0), case("Exp", x)]
    for part, got in zip(cases, run_in_cpp(cases), strict=True):
        np.testing.assert_allclose(got["y"], part.outputs["y"], rtol=1e-6, err_msg=part.name)


def test_large_logits_do_not_overflow() -> None:
    part = case("LogSoftmax", np.array([[1000, 0, -1000]], np.float32), axis=1)
    np.testing.assert_array_equal(run_in_cpp([part])[0]["y"], [[0, -1000, -2000]])


def test_large_logits_that_are_equal_share_the_probability() -> None:
    part = case("LogSoftmax", np.full((2, 4), 1e9, np.float32), axis=1)
    np.testing.assert_allclose(run_in_cpp([part])[0]["y"], np.full((2, 4), -np.log(4)), rtol=1e-6)


@pytest.mark.parametrize("op_type", ["RoundHalf", "RoundBFloat16"])
def test_roundings_are_exact(op_type: str) -> None:
    scale = np.float32(2) ** random.integers(-40, 40, 2000).astype(np.float32)
    part = case(op_type, np.concatenate([normal(2000) * scale, np.array([0, np.inf, -np.inf, 2.0**32], np.float32)]))
    np.testing.assert_array_equal(run_in_cpp([part])[0]["y"], part.outputs["y"])


def test_a_label_that_is_no_class_makes_the_loss_nan() -> None:
    part = case("NegativeLogLikelihoodLoss", normal(3, 4), np.array([0, 1, 2]), reduction="mean")
    for label in (-1, 4, 2**40):
        part.inputs["in1"][1] = label
        assert np.isnan(run_in_cpp([part])[0]["y"]).all()


def test_sums_of_a_large_batch_stay_exact() -> None:
    x = np.full((1 << 20, 1), 0.1, np.float32)
    part = case("ReduceMean", x, [0], keepdims=0)
    assert run_in_cpp([part])[0]["y"] == np.float32(0.1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: case("Softmax", normal(3, 4), axis=0), "the classes must be the last axis"),
        (lambda: case("Det", normal(3, 3)), "there is no template for Det"),
        (lambda: case("Pad", normal(3), [1, 1], mode="wrap"), "mode must be"),
        (lambda: case("Conv", normal(1, 1, 9), normal(1, 1, 3)), "images"),
        (lambda: case("ConvTranspose", normal(1, 1, 8, 8), normal(1, 1, 2, 2), auto_pad="SAME_UPPER"), "auto_pad"),
    ],
)
def test_refusals_name_the_node_and_the_constraint(make: Callable[[], Case], message: str) -> None:
    model = make().model
    with pytest.raises(UnsupportedOp, match=message) as caught:
        template(model.graph.node[0], Index(model), "tiled")
    assert "'y'" in str(caught.value) and "try:" in str(caught.value)
