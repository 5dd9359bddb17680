"""Operators in the forms that ONNX gives them: in the operators of the stack they mean what they meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
import torch
from numpy.typing import NDArray

from haribote.graph import Builder, Index, attributes, evaluate
from haribote.stack.planner.errors import NotPlanned
from haribote.stack.planner.rules import rule_of
from haribote.stack.planner.views import views_of
from haribote.stack.products.spec import Spec
from haribote.stack.program.compiled import planned, prepared
from tests.haribote.core.from_onnx.test_elementary import graph


def feeds(model: onnx.ModelProto) -> dict[str, NDArray[Any]]:
    """Floats, truths, and integers from -4 to 3: places of axes of four elements, from either end."""
    random, index = np.random.default_rng(1), Index(model)
    return {
        name: random.normal(size=index.shape[name]).astype(np.float32)
        if index.dtype[name] == np.float32
        else random.integers(0 if index.dtype[name] == np.bool_ else -4, 4, index.shape[name]).astype(index.dtype[name])
        for name in index.inputs
    }


@pytest.mark.parametrize(
    "body",
    [
        "(int64[5] l) => (float[5,4] y) <int64 d = {4}, float[2] v = {0, 1}> { y = OneHot(l, d, v) }",
        "(float[3,4] x, int64[3,1] l) => (float[3,1] y) { y = GatherElements<axis = 1>(x, l) }",
        "(float[1,4] x, int64 k) => (float[1] y) { y = Gather<axis = 1>(x, k) }",
        "(int64[4,6] i) => (int64[4,1,6] y) <int64[1] a = {1}> { y = Unsqueeze(i, a) }",
        "(int64[4,6] i) => (int64[4,6] y) <int64 a = {1}> { y = CumSum(i, a) }",
        "(int64[4,6] i) => (int64[4,6] y) <int64 a = {0}> { y = CumSum<reverse = 1, exclusive = 1>(i, a) }",
        "(bool[4,6] t) => (bool[4] y) <int64[1] a = {1}> { y = ReduceMax<keepdims = 0>(t, a) }",
        "(bool[4,6] t) => (bool[1,1] y) { y = ReduceMin(t) }",
        "(bool[4,6] t, bool[1,6] u) => (bool[4,6] y) <int64[1,6] k = {0,3,1,2,0,1}> { y = ScatterElements(t, k, u) }",
        "(bool[4,6] t, int64[1,6] k, bool[1,6] u) => (bool[4,6] y) { y = ScatterElements(t, k, u) }",
        "(int64[4,6] i, int64[2,5] j, int64[2,5] u) => (int64[4,6] y)"
        ' { y = ScatterElements<axis = 0, reduction = "add">(i, j, u) }',
        "(int64[4,6] i, int64[2,6] u) => (int64[4,6] y) <int64[2,1] k = {1,1}>"
        ' { y = ScatterND<reduction = "min">(i, k, u) }',
        "(float[2,6,5] x, float[4,3,2] w, float[4] b) => (float[2,4,4] y) { y = Conv<group = 2>(x, w, b) }",
        "(float[1,4,3,3] x, float[4,1,2,2] w) => (float[1,4,2,2] y) { y = Conv<group = 4>(x, w) }",
        "(float[2,2,4,4] x) => (float[2,2,2,2] y, int64[2,2,2,2] k)"
        " { y, k = MaxPool<kernel_shape = [2,2], strides = [2,2]>(x) }",
        "(float[4,6] x) => (float[4,6] y, bool[4,6] m) { y, m = Dropout(x) }",
        "(float[4,6] x) => (int64[2] y) { y = Shape(x) }",
        "() => (float[2,3] y) <int64[2] s = {2,3}> { y = ConstantOfShape<value: tensor = float[1] {1.5}>(s) }",
        "() => (int64[4] y) <int64 a = {1}, int64 b = {8}, int64 s = {2}> { y = Range(a, b, s) }",
        "() => (float[8] y) <int64 n = {8}> { y = HannWindow(n) }",
        "() => (float[2] y) <float[2] x = {-1, 2}> { y = Gelu(x) }",
        '(float[2,3] x, float[3,4] z) => (float[4,2] y) { y = Einsum<equation = "Ij,jK->KI">(x, z) }',
        '(float[2,3] x, float z) => (float[3,2] y) { y = Einsum<equation = "ab,->ba">(x, z) }',
        "(float[0,6] x, float[2,6] z) => (float[2,6] y) { y = Concat<axis = 0>(x, z) }",
        "(float[4,6] x) => (float[0,6] y) <int64[1] a = {3}, int64[1] e = {1}> { y = Slice(x, a, e) }",
        "(float[3,0] x) => (float[3] y) <int64[1] a = {1}> { y = ReduceProd<keepdims = 0>(x, a) }",
        "(bool[2,0] t) => (bool[2,1] y) <int64[1] a = {1}> { y = ReduceMin(t, a) }",
        "(bool[3,0,2] t) => (bool[3,2] y) <int64[1] a = {1}> { y = ReduceMax<keepdims = 0>(t, a) }",
        "(float[2,3,0] x, float[1,0,4] z) => (float[2,3,4] y) { y = MatMul(x, z) }",
        "(float[1,2,0] x, float[0] z) => (float[1,2] y) { y = MatMul(x, z) }",
        '(float[2,0] x, float[1] z) => (float[2] y) { y = Einsum<equation = "ab,b->a">(x, z) }',
        "(float[0,3] x) => (float[3,3] y) <int64[4] p = {3,0,0,0}, float v = {-2}> { y = Pad(x, p, v) }",
        "(int64[4,6] i) => (int64[5,6] y) <int64[4] p = {1,0,0,0}, int64 v = {16777217}> { y = Pad(i, p, v) }",
        "(int32[4,6] i) => (int32[4,8] y) <int64[4] p = {0,1,0,1}, int32 v = {2147483647}> { y = Pad(i, p, v) }",
        "(float[0,6] x, float[6] s) => (float[0,6] y) { y = LayerNormalization(x, s) }",
    ],
)
def test_the_meaning_stays(body: str) -> None:
    model = graph(body)
    after, given = prepared(model), feeds(model)
    index = Index(after)
    views = views_of(after, index)
    for node in after.graph.node:
        if node.output[0] not in views:
            rule_of(node)  # raises where there is none
        if node.op_type == "Einsum":
            Spec.of(attributes(node)["equation"].decode(), *(index.shape[name] for name in node.input))
    wanted = evaluate(model, given)
    merged = {name: given[name].astype(index.dtype[name]).reshape(index.shape[name]) for name in index.inputs}
    found = evaluate(after, merged)
    for name, value in wanted.items():
        assert found[name].dtype == value.dtype
        np.testing.assert_allclose(found[name].reshape(value.shape), value, rtol=1e-5, atol=1e-6)


def test_a_transposed_convolution_in_groups() -> None:
    """ONNX's reference looks at the first group only; torch does not."""
    model = graph("(float[2,4,3] x, float[4,3,2] w) => (float[2,6,4] y) { y = ConvTranspose<group = 2>(x, w) }")
    given = feeds(model)
    x, w = (torch.tensor(given[name]) for name in "xw")
    wanted = torch.nn.functional.conv_transpose1d(x, w, groups=2)
    np.testing.assert_allclose(evaluate(prepared(model), given)["y"], wanted, rtol=1e-5, atol=1e-6)


def test_places_of_maxima_count_the_whole_image() -> None:
    """As torch counts them in each plane, and the planes before it; ONNX's reference mixes both ways."""
    model = graph(
        "(float[2,2,4,5] x) => (int64[2,2,4,4] k)"
        " { y, k = MaxPool<kernel_shape = [2,2], strides = [1,1], pads = [1,0,0,0]>(x) }"
    )
    given = feeds(model)
    padded = torch.nn.functional.pad(torch.tensor(given["x"]), (0, 0, 1, 0), value=-torch.inf)
    _, places = torch.nn.functional.max_pool2d(padded, 2, 1, return_indices=True)
    wanted = places.numpy() - 5 + np.arange(0, 80, 20).reshape(2, 2, 1, 1)  # without the padded row of each plane
    assert np.array_equal(evaluate(prepared(model), given)["k"], wanted)


def test_labels_of_a_loss_are_not_asked_whether_they_count_from_the_end() -> None:
    """They never do, and the step would be slower."""
    model = graph(
        "(float[4,6] x, int64[4] l) => (float y)"
        ' { p = LogSoftmax<axis = 1>(x) y = NegativeLogLikelihoodLoss<reduction = "mean">(p, l) }'
    )
    assert "Less" not in {node.op_type for node in prepared(model).graph.node}


def test_a_refusal_names_the_operands() -> None:
    model = graph("(float[4,6] x, int64 a) => (float[4,6] y) { y = CumSum(x, a) }")
    with pytest.raises(NotPlanned, match=r"node y: there is no rule for CumSum of x float32\[4, 6\], a int64\[\]"):
        planned(model)


def test_training_dropout_is_refused() -> None:
    builder = Builder("drop")
    builder.input("x", (3,), np.float32)
    training = builder.constant(np.array(True), "training")
    builder.output(builder.op("Dropout", "x", "", training, name="y"))
    with pytest.raises(NotPlanned, match="no rule for Dropout"):
        planned(builder.finish())
