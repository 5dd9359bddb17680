"""Nodes with graphs inside whose conditions follow from shapes are written out."""

from __future__ import annotations

import onnx
import pytest

from haribote.operators.subgraphs import written_out


@pytest.mark.parametrize(("size", "taken"), [(3, "Exp"), (4, "Log")])
def test_a_branch_is_taken_by_the_size_of_an_input(size: int, taken: str) -> None:
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 20]> g (float[{size}] x) => (float[{size}] y) <int64 three = {{3}}> {{ '
        "count = Size (x) c = Equal (count, three) "
        f"y = If (c) <then_branch = one () => (float[{size}] a) {{ a = Exp (x) }}, "
        f"else_branch = other () => (float[{size}] b) {{ b = Log (x) }}> }}"
    )
    names = {node.op_type for node in written_out(model).graph.node}
    assert taken in names and "If" not in names


def test_a_branch_that_values_decide_stays() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["": 20]> g (bool c, float[3] x) => (float[3] y) { '
        "y = If (c) <then_branch = one () => (float[3] a) { a = Exp (x) }, "
        "else_branch = other () => (float[3] b) { b = Log (x) }> }"
    )
    assert written_out(model) is model
