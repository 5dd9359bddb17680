"""Convolution and pooling as windows, products and reductions: the same function, torch's gradients included."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.parser
import pytest

from haribote.core.from_onnx.windows import Along, beside_each_other, slots
from haribote.frontend.torch import trace_step
from haribote.graph import Index, complete, evaluate
from haribote.passes import decompose, simplify
from haribote.stack.planner import elementary
from haribote.training.backends import example_batch
from haribote.training.models import lenet


def graph(body: str) -> onnx.ModelProto:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {body}')
    for node in model.graph.node:
        node.name = node.output[0]
    return complete(model)


def compared(model: onnx.ModelProto) -> onnx.ModelProto:
    after, index, random = elementary.run(model), Index(model), np.random.default_rng(0)
    feeds = {
        name: random.standard_normal(index.shape[name]).astype(np.float32)
        if index.dtype[name] == np.float32
        else random.integers(0, 10, index.shape[name]).astype(index.dtype[name])
        for name in index.inputs
    }
    expected, found = evaluate(model, feeds), evaluate(after, feeds)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-5)
    return after


@pytest.mark.parametrize(("kernel", "pads", "picks"), [(1, 0, 0), (3, 1, 3)])
def test_windows_of_groups_are_picked_once(kernel: int, pads: int, picks: int) -> None:
    """The padded image, its windows, the weights' rows; where a window is one element, nothing."""
    after = compared(
        graph(
            f"(float[2,6,5,4] x, float[12,2,{kernel},{kernel}] w) => (float[a,b,c,d] y) "
            f"{{ y = Conv<group = 3, pads = [{pads},{pads},{pads},{pads}]>(x, w) }}"
        )
    )
    assert sum(node.op_type == "Pick" for node in after.graph.node) == picks


@pytest.mark.parametrize(
    "body",
    [
        "(float[2,3,7,6] x, float[4,3,3,2] w) => (float[a,b,c,d] y) { y = Conv(x, w) }",
        "(float[2,3,7,6] x, float[4,3,3,2] w, float[4] b) => (float[a,b,c,d] y) "
        "{ y = Conv<pads = [1,0,1,1], strides = [2,1], dilations = [1,2]>(x, w, b) }",
        '(float[2,3,7,6] x, float[4,3,3,3] w) => (float[a,b,c,d] y) { y = Conv<auto_pad = "SAME_UPPER">(x, w) }',
        "(float[2,4,4,3] x, float[4,3,3,2] w) => (float[a,b,c,d] y) "
        "{ y = ConvTranspose<strides = [2,1], pads = [1,0,0,1]>(x, w) }",
        "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = MaxPool<kernel_shape = [2,2], strides = [2,2]>(x) }",
        "(float[2,3,8,6] x) => (float[a,b,c,d] y) "
        "{ y = MaxPool<kernel_shape = [3,3], strides = [2,1], pads = [1,1,1,1]>(x) }",
        "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = AveragePool<kernel_shape = [3,2], pads = [1,1,1,0]>(x) }",
        "(float[2,3,8,6] x) => (float[a,b,c,d] y) { y = GlobalAveragePool(x) }",
        "(float[1,2,5,4,6] x) => (float[a,b,c,d,e] y) "
        "{ y = AveragePool<kernel_shape = [3,2,2], pads = [1,0,1,1,0,1]>(x) }",
        "(float[1,2,5,4,6] x) => (float[a,b,c,d,e] y) "
        "{ y = AveragePool<kernel_shape = [2,2,3], strides = [2,1,2], pads = [1,1,1,1,1,1], "
        "count_include_pad = 1>(x) }",
        "(float[1,2,5,4,6] x) => (float[a,b,c,d,e] y) "
        "{ y = LpPool<kernel_shape = [2,2,3], strides = [2,1,2], p = 3>(x) }",
    ],
)
def test_windows_mean_the_same(body: str) -> None:
    after = compared(graph(body))
    assert not {"Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool"} & {
        node.op_type for node in after.graph.node
    }


def test_channels_and_places_have_bits_of_their_own_where_that_costs_none() -> None:
    found = slots(6, 25)
    assert len(found) == 256
    assert all(found[8 * p + c] == (25 * c + p if c < 6 and p < 25 else -1) for c in range(8) for p in range(32))
    assert slots(3, 9).tolist() == list(range(27)), "2 and 4 bits; 27 elements have 5"


def test_rows_of_an_image_share_what_is_beside_them() -> None:
    rows, columns = (Along(np.arange(length)[:, None] + np.arange(5)[None] - 4, 6) for length in (10, 10))
    cells, seen = beside_each_other([rows, columns])
    assert len(cells) == 13 * 10 + 14
    expected = np.arange(36).reshape(6, 6)
    expected = np.pad(expected, 4, constant_values=-1)
    windows = np.lib.stride_tricks.sliding_window_view(expected, (5, 5))
    np.testing.assert_array_equal(cells[seen], windows)


def test_the_windows_of_a_layer_and_of_its_gradient_are_picked_once() -> None:
    model = lenet()
    after = compared(decompose.run(simplify.run(trace_step(model, *example_batch(model, 3, 0.1)))))
    windows = [node for node in after.graph.node if node.op_type == "Pick" and node.input[0] == "x"]
    assert len(windows) == 1
    assert not {"Conv", "ConvTranspose", "MaxPool", "MaxPoolGrad"} & {node.op_type for node in after.graph.node}
