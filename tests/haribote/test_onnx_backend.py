"""ONNX's interface of a runtime: what a user of any other runtime does with a model."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from benchmarks import onnx_scoreboard
from benchmarks.scoreboard import GOOD, row_of
from haribote import onnx_backend
from haribote.errors import GraphError, HariboteError

SAMPLES = (
    "test_abs",
    "test_bitcast_uint16_to_int16",
    "test_compress_1",
    "test_dequantizelinear_int16",
    "test_group_normalization_epsilon",
    "test_loop11",
    "test_maxpool_2d_uint8",
    "test_mvn",
    "test_qlinearmatmul_2D_int8_float16",
    "test_quantizelinear_uint16",
    "test_range_int32_type_negative_delta_expanded",
    "test_reduce_sum_keepdims_random",
    "test_rotary_embedding",
    "test_slice_neg_steps",
    "test_spacetodepth_crd_mode_example",
    "test_stft",
    "test_swish",
    "test_tensorscatter_circular",
    "test_top_k_smallest",
    "test_unsqueeze_axis_1",
)
"""Old and new opsets, bodies, loops, and inputs that decide how the graph looks."""


@pytest.mark.slow
@pytest.mark.parametrize("device", onnx_backend.DEVICES)
def test_it_passes_tests_of_onnx(device: str) -> None:
    found = [test for test in onnx_scoreboard.tests(device) if test.name in SAMPLES]
    assert sorted(test.name for test in found) == sorted(SAMPLES)
    rows = [row_of(test) for test in found]
    assert [row for row in rows if row.verdict not in GOOD] == []
    if device == "CHIP":
        whole = {row.name for row in rows if row.verdict == "passed"}
        constant = {"test_range_int32_type_negative_delta_expanded"}
        assert whole | constant == set(SAMPLES)


def reduce_model(shape: list[int | str]) -> onnx.ModelProto:
    text = ", ".join(map(str, shape))
    return onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 21]> g (float[{text}] x, int64[1] axes) => (float y) '
        "{ y = ReduceSum <keepdims = 0> (x, axes) }"
    )


@pytest.mark.slow
def test_inputs_that_decide_are_compiled_in_and_remembered() -> None:
    rep = onnx_backend.prepare(reduce_model(["N", 4]), "CPU")
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_allclose(rep.run([x, np.array([0])])[0], x.sum(0))
    np.testing.assert_allclose(rep.run([x, np.array([1])])[0], x.sum(1))
    np.testing.assert_allclose(rep.run({"x": x, "axes": np.array([-1])})[0], x.sum(1))
    np.testing.assert_allclose(rep.run([2 * x, np.array([0])])[0], 2 * x.sum(0))
    assert len(rep.prepared) == 3
    np.testing.assert_allclose(rep.run([x[:2], np.array([0])])[0], x[:2].sum(0))  # another batch
    assert len(rep.prepared) == 4


def test_what_does_not_fit_is_said() -> None:
    rep = onnx_backend.prepare(reduce_model([3, 4]), "CPU")
    x = np.zeros((3, 4), np.float32)
    for inputs, words in (
        ([x], "has the inputs x, axes; received 1"),
        ([x[:2], np.array([0])], "'x' must be 3x4, received [2, 4]"),
        ([x.astype(np.float64), np.array([0])], "'x' must be of float32, received float64"),
        ([x[None], np.array([0])], "'x' must be 3x4, received [1, 3, 4]"),
    ):
        with pytest.raises(GraphError) as caught:
            rep.run(inputs)
        assert words in str(caught.value)
    with pytest.raises(HariboteError, match="no device 'GPU'"):
        onnx_backend.prepare(reduce_model([3, 4]), "GPU")
    assert onnx_backend.supports_device("CHIP") and not onnx_backend.supports_device("CUDA")


def test_what_is_refused_runs_by_the_reference_and_says_why() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 26]> g (float[3] x) => (int32[3] y) { y = BitCast <to = 6> (x) }'
    )
    rep = onnx_backend.prepare(model)
    x = np.array([1, -2, 0.5], np.float32)
    np.testing.assert_array_equal(rep.run([x])[0], x.view(np.int32))
    assert (
        rep.last is not None and rep.last.refused == "node 'y' (BitCast) is not in opset 20, and ONNX has no body of it"
    )


@pytest.mark.parametrize(
    "body", ["{ y = Add (x, x) }", "<int64 k = {1099511627776}> { y = Add (x, k) }", "{ y = Identity (x) }"]
)
def test_numbers_of_more_than_32_bits_are_the_hosts(body: str) -> None:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g (int64[2] x) => (int64[2] y) {body}')
    x = np.array([2**40, -1])
    wanted = 2 * x if "(x, x)" in body else x + 2**40 if "k" in body else x
    np.testing.assert_array_equal(onnx_backend.prepare(model).run([x])[0], wanted)


def test_an_operator_that_onnx_does_not_have_is_named() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (float[3] x) => (float[3] y) { y = Foo (x) }'
    )
    with pytest.raises(GraphError, match=r"\(Foo\): ONNX has no such operator"):
        onnx_backend.prepare(model).run([np.ones(3, np.float32)])


def test_a_node_alone() -> None:
    x = np.array([[3.0, 1, 2]], np.float32)
    (y,) = onnx_backend.run_node(helper.make_node("Relu", ["x"], ["y"]), [-x])
    np.testing.assert_array_equal(y, np.zeros_like(x))


def test_the_page_prints_what_it_shows() -> None:
    page = (Path(__file__).parents[2] / "docs/frontends/onnx.md").read_text(encoding="utf-8")
    (block,), (wanted,) = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL) for kind in ("python", "text"))
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, "onnx.md", "exec"), {})
    assert output.getvalue() == wanted


@pytest.mark.parametrize(
    ("text", "value", "why"),
    [
        ("(float[0, 3] x) => (float[0, 3] y) { y = Relu (x) }", np.ones((0, 3), np.float32), "has size 0: there is"),
        ("(string[1] x) => (string[1] y) { y = Identity (x) }", np.array(["a"]), "string is no type of the chip"),
        (
            "(float[2] x) => (float[2] y) <int64 i = {0}> { s = SequenceConstruct (x, x) y = SequenceAt (s, i) }",
            np.ones(2, np.float32),
            "'s' is a sequence, an optional or a map, no tensor",
        ),
    ],
)
def test_odd_inputs_run_on_the_host_for_one_clear_reason(text: str, value: Any, why: str) -> None:
    rep = onnx_backend.prepare(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {text}'), "CHIP")
    (found,) = rep.run([value])
    assert rep.last is not None and found.tolist() == value.tolist()
    (reason,) = rep.last.reasons.values()
    assert why in reason and "\n" not in reason


def test_a_running_sum_of_a_scalar_is_the_scalar() -> None:
    text = "(float x, int64 axis) => (float y) { y = CumSum (x, axis) }"
    rep = onnx_backend.prepare(onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": 20]> g {text}'), "CHIP")
    assert rep.run([np.float32(3), np.int64(0)])[0].item() == 3
    assert rep.last is not None and rep.last.coverage == "1 of 1"
