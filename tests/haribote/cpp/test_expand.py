"""Operators without a template, written in those that have one, against the reference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from haribote.cpp.cases import run_in_cpp
from haribote.cpp.expand import run
from haribote.cpp.rules import RULES
from haribote.graph import Builder
from haribote.graphs.cases import Case
from tests.haribote.cpp.operator_cases import case, check, normal, positive


def cases() -> Iterator[Case]:
    x, signal = normal(2, 4, 3, 5), normal(2, 3, 11)
    yield case("BatchNormalization", x, positive(4), normal(4), normal(4), positive(4))
    yield case("InstanceNormalization", x, positive(4), normal(4))
    yield case("LayerNormalization", normal(3, 5), positive(5), normal(5))
    yield case("Gelu", normal(3, 5))
    yield case("Gelu", normal(3, 5), approximate="tanh")
    for op_type in ("Elu", "Selu", "LeakyRelu", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Mish"):
        yield case(op_type, normal(3, 5))
    for x in (normal(3, 5), normal()):
        yield case("Celu", np.asarray(x, np.float32), alpha=1.5)
    yield case("PRelu", normal(3, 5), positive(5))
    yield case("Clip", normal(3, 5), np.array(-0.5, np.float32), np.array(0.25, np.float32))
    for op_type in ("Max", "Sum", "Mean"):
        yield case(op_type, normal(3, 5), normal(5), normal(3, 1))
    for op_type in ("Softmax", "LogSoftmax"):
        yield case(op_type, normal(2, 3, 5), axis=1)
    for op_type in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"):
        yield case(op_type, positive(3, 5), [1], keepdims=0)
    yield case("Conv", signal, normal(4, 3, 3), normal(4), pads=[1, 2], strides=[2])
    yield case("MaxPool", signal, kernel_shape=[3], strides=[2])
    yield case("AveragePool", signal, kernel_shape=[2], pads=[1, 0])
    yield case("DepthToSpace", normal(1, 8, 2, 3), blocksize=2)
    yield case("DepthToSpace", normal(1, 8, 2, 3), blocksize=2, mode="CRD")
    yield case("SpaceToDepth", normal(1, 2, 4, 6), blocksize=2)
    yield case("Dropout", normal(3, 5))


@pytest.mark.slow
def test_expanded_graphs_agree_with_the_reference() -> None:
    written = [Case(part.name, run(part.model), part.inputs, part.outputs) for part in cases()]
    assert {node.op_type for part in written for node in part.model.graph.node} <= RULES.keys()
    check(written, run_in_cpp(written))


def test_a_mask_that_nobody_reads_is_left_out() -> None:
    builder = Builder("dropout")
    y = builder.op("Dropout", builder.input("x", (3, 5), np.float32), name="y")
    builder.model.graph.node[-1].output.append("mask")
    builder.output(y)
    assert [node.op_type for node in run(builder.finish()).graph.node] == ["Identity"]


def test_what_has_a_template_stays() -> None:
    model = case("Softmax", normal(3, 5)).model
    assert run(model).graph.node == model.graph.node


def test_what_has_neither_stays_for_the_error_of_the_emitter() -> None:
    model = case("Det", normal(3, 3)).model
    assert [node.op_type for node in run(model).graph.node] == ["Det"]
