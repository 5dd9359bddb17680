"""The generated text: names, literals, comments, one line per node, memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from haribote.compiler import lower_for_cpp
from haribote.cpp.arena import ALIGNMENT, plan
from haribote.cpp.emit import emit, identifiers, literal, quoted
from haribote.cpp.session import sessions
from haribote.errors import UnsupportedOp
from haribote.graph import Builder, Index
from haribote.passes import simplify


def test_identifiers_are_close_to_the_names_and_unique() -> None:
    names = ["x", "0.weight", "0_weight", "a.b", "a..b", "class", "op", "", "é", "x_data", "step/1:0"]
    assert identifiers(names) == {
        "x": "x",
        "0.weight": "v0_weight",
        "0_weight": "v0_weight_1",
        "a.b": "a_b",
        "a..b": "a_b_1",
        "class": "class_1",
        "op": "op_1",
        "": "v",
        "é": "v_1",
        "x_data": "x_data_1",
        "step/1:0": "step_1_0",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.01), "0.01f"),
        (np.float32(0), "0.0f"),
        (np.float32(-0.0), "-0.0f"),
        (np.float32(1e9), "1.e+09f"),
        (np.float32(1 / 3), "0.33333334f"),
        (np.float64(0.1), "0.1"),
        (np.float32(-np.inf), "-std::numeric_limits<float>::infinity()"),
        (np.float64(np.nan), "std::numeric_limits<double>::quiet_NaN()"),
        (np.int64(-7), "-7"),
        (np.int64(-(2**63)), "INT64_MIN"),
        (np.bool_(True), "true"),
    ],
)
def test_literals(value: Any, text: str) -> None:
    assert literal(value) == text


def test_quoted_strings_are_c_literals() -> None:
    assert quoted('a"b\\c') == '"a\\"b\\\\c"'
    assert quoted("é1") == '"\\303\\2511"'


def test_constants_arrive_bit_for_bit() -> None:
    random = np.random.default_rng(3)
    bits = random.integers(0, 2**32, 500, dtype=np.uint32).view(np.float32)
    values = np.concatenate(
        [bits[np.isfinite(bits)], np.array([np.inf, -np.inf, 1e-45, 3.4028235e38, -0.0], np.float32)]
    )
    builder = Builder("constants")
    for name, array in {
        "floats": values,
        "doubles": random.standard_normal(7),
        "ints": np.array([-(2**63), 2**63 - 1, 0]),
        "bools": np.array([True, False]),
    }.items():
        builder.output(builder.op("Identity", builder.constant(array, f"{name}.c"), name=name))
    session = sessions({"constants": builder.finish()})["constants"]
    session.run()
    index = Index(builder.finish())
    for name, got in session.outputs().items():
        np.testing.assert_array_equal(got, index.constants[f"{name}.c"], err_msg=name)
    assert np.signbit(session.read("floats")[-1])


@pytest.mark.parametrize("name", ["evil */ \\", "line\nbreak", "tail\\"])
def test_names_cannot_leave_their_comment(name: str) -> None:
    builder = Builder(name)
    builder.output(builder.op("Relu", builder.input("x", (2,), "float32"), name=name))
    session = sessions({"graph": builder.finish()})["graph"]
    session.write("x", np.array([-1, 1], np.float32))
    session.run()
    np.testing.assert_array_equal(session.read(name), [0, 1])


def test_one_line_per_node_with_its_name(make_step: Callable[..., Any]) -> None:
    model = simplify.run(make_step((784, 16, 10), True, 256).graph)
    lines = emit({"step": model}).split("// The nodes.\n")[1].splitlines()
    calls = lines[: len(model.graph.node)]
    for node, line in zip(model.graph.node, calls, strict=True):
        assert line.startswith("    op::") and line.endswith(f"// {node.op_type} {node.name}")
    assert calls[0].split("  //")[0].strip() == "op::gemm<op::packed, 'N', 'T'>(x, v0_weight, v0_out_matmul);"
    assert lines[len(calls)] == "}"


def test_a_fused_node_is_one_line_too(make_step: Callable[..., Any]) -> None:
    text = emit({"step": lower_for_cpp(make_step((784, 16, 10), True, 256).graph)})
    assert "op::step_nodes::GemmRelu(x, v0_weight, v0_bias, v1_out);" in text
    assert text.index("void GemmRelu(") < text.index('extern "C" void step(')


def test_gemm_is_chosen_by_name(make_step: Callable[..., Any]) -> None:
    model = lower_for_cpp(make_step((5, 3), True, 4).graph)
    assert "op::naive" in emit({"step": model}, "naive") and "op::tiled" not in emit({"step": model}, "naive")


def test_unknown_element_types_are_refused() -> None:
    builder = Builder("half")
    builder.output(builder.op("Relu", builder.input("x", (2,), "float16"), name="y"))
    with pytest.raises(UnsupportedOp, match="'x' has elements of float16"):
        emit({"half": builder.finish()})


def test_values_that_live_at_the_same_time_never_overlap(step: Any) -> None:
    for model in (step.graph, lower_for_cpp(step.graph)):
        arena, index = plan(model), Index(model)
        assert _overlaps(model, arena.offsets, index) == []
        assert all(offset % ALIGNMENT == 0 for offset in arena.offsets.values())
        total = sum(_bytes(name, index) for name in arena.offsets)
        assert max(map(lambda name: arena.offsets[name] + _bytes(name, index), arena.offsets)) <= arena.size
        assert arena.size < total + ALIGNMENT * len(arena.offsets)


def _bytes(name: str, index: Index) -> int:
    return int(np.prod(index.shape[name])) * index.dtype[name].itemsize


def _overlaps(model: onnx.ModelProto, offsets: dict[str, int], index: Index) -> list[tuple[str, str]]:
    """Pairs that share bytes although one is written while the other is still to be read (found by brute force)."""
    born = {name: i for i, node in enumerate(model.graph.node) for name in node.output}
    dies = {
        name: max([i for i, node in enumerate(model.graph.node) if name in node.input], default=born[name])
        for name in born
    }
    return [
        (a, b)
        for a in offsets
        for b in offsets
        if a != b
        and born[a] <= born[b] <= dies[a]
        and offsets[a] < offsets[b] + _bytes(b, index)
        and offsets[b] < offsets[a] + _bytes(a, index)
    ]


def test_outputs_that_no_node_computes_are_copied() -> None:
    builder = Builder("given")
    x = builder.input("x", (2, 3), np.float32)
    builder.output(x)
    builder.output(builder.constant(np.array([5, 7], np.int64), "shape"))
    builder.output(builder.op("Neg", x, name="y"))
    session = sessions({"given": builder.finish()})["given"]
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    session.write("x", value)
    session.run()
    for name, expected in {"x": value, "shape": [5, 7], "y": -value}.items():
        np.testing.assert_array_equal(session.read(name), expected)
