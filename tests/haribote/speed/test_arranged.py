"""Layouts of a batch are chosen by what the learner's kernels cost, and only where these are right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import onnx
import pytest

from haribote.answers import generators
from haribote.answers.resolve import Answer, resolve_row
from haribote.graph import Builder, verify
from haribote.kernel import Op
from haribote.kernel_table import DEALT, DEALT_ROWS, A, KernelRow, P
from haribote.passes import assign_layouts
from haribote.passes.placement import placement_of, row_of
from haribote.speed import arranged

NAMES = ("relu", "max_rows", "sub_rows", "exp", "sum_rows", "div_rows")
find = generators.generator


def softmax() -> onnx.ModelProto:
    """Relu and softmax of a batch."""
    model = onnx.parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]>
        agraph (float[256, 16] x) => (float[256, 16] y) <int64[1] one = {1}> {
            r = Relu(x)
            m = ReduceMax(r, one)
            s = Sub(r, m)
            e = Exp(s)
            t = ReduceSum(e, one)
            y = Div(e, t)
        }"""
    )
    for node, name in zip(model.graph.node, NAMES, strict=True):
        node.name = name
    built = Builder.like(model)
    for node in model.graph.node:
        built.keep(node)
    return assign_layouts.run(built.finish())


def rows_of(model: onnx.ModelProto) -> list[KernelRow]:
    return [row for node in model.graph.node if (row := row_of(node)) is not None]


def as_mine(row: KernelRow, _: bool = False) -> Answer | None:
    found = resolve_row(row, True)
    return found and replace(found, owner="yours")


@pytest.fixture
def with_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference generators as the learner's."""
    monkeypatch.setattr(generators, "generator", lambda task, solutions=False: find(task, solutions=True))


def test_every_row_of_a_batch_has_one_in_other_layouts() -> None:
    assert {*NAMES} < set(DEALT_ROWS) and "gemm_xwt_1024" not in DEALT_ROWS
    assert DEALT_ROWS["add_bias"].inputs == (DEALT, "16") and DEALT_ROWS["add_bias"].task == "5.16"


@pytest.mark.slow
def test_operators_of_a_batch_share_a_layout(with_generators: None) -> None:
    model = softmax()
    assert {tag for row in rows_of(model) for tag in row.inputs} > {A, P}
    found = arranged.run(model, arranged.preferring(as_mine))
    verify(found)
    chosen = {node.name: str(placement_of(node, "in0").layout) for node in found.graph.node}
    del chosen["exp"]  # which is so much cheaper in layout A that going there and back pays
    assert set(chosen.values()) == {DEALT}


def test_without_generators_rows_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "generator", lambda task, solutions=False: None)
    model = softmax()
    found = arranged.run(model, arranged.preferring(as_mine))
    assert found == model


@pytest.mark.slow
def test_a_generator_that_is_wrong_in_other_layouts_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = find("5.45", solutions=True)

    def shifted(op: Op) -> Iterator[str]:
        lines = list(right(op))
        yield from lines if op.kind == "ReduceSum" else [line for line in lines if not line.startswith("msl")]

    own = {"5.45": shifted}
    monkeypatch.setattr(
        generators, "generator", lambda task, solutions=False: own.get(task) or find(task, solutions=True)
    )
    found = {row.name for row in rows_of(arranged.run(softmax(), arranged.preferring(as_mine)))}
    assert "max_rows" in found and "sub_rows" in found  # they share the vector
