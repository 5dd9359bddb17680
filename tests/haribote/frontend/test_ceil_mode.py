"""Pools with ceil_mode against ONNX's reference, which drops windows that begin behind the image."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from haribote.frontend.onnx_file import adapted
from haribote.graph import Index, attributes, evaluate
from haribote.operators.functions import OPSET
from haribote.stack.program.compiled import planned
from haribote.stack.program.session import session_of
from haribote.stack.program.shortest import build
from simulator import Machine

PADS = ((0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 0), (0, 0, 1, 1), (1, 0, 0, 1))
KINDS = ({"op_type": "MaxPool"}, {"op_type": "AveragePool"}, {"op_type": "AveragePool", "count_include_pad": 1})


def model(width: int, op_type: str, **given: Any) -> onnx.ModelProto:
    """A pool of images of 9 rows whose result is added to itself: what follows has its shape."""
    nodes = [helper.make_node(op_type, ["x"], ["v"], ceil_mode=1, **given), helper.make_node("Add", ["v", "v"], ["y"])]
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2, 1, 9, width])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def images(width: int) -> dict[str, Any]:
    return {"x": np.random.default_rng(width).uniform(1, 2, (2, 1, 9, width)).astype(np.float32)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))
def test_shapes_and_values_are_those_of_the_reference(kind: dict[str, Any]) -> None:
    rounded = 0
    for width, pads, kernel, stride in product((6, 7, 8), PADS, (2, 3), (2, 3)):
        given = model(width, pads=pads, kernel_shape=[kernel, 2], strides=[1, stride], **kind)
        wanted = ReferenceEvaluator(given).run(None, images(width))[0]
        found = adapted(given, {})
        assert Index(found).shape["y"] == wanted.shape, (width, pads, kernel, stride)
        np.testing.assert_allclose(evaluate(found, images(width))["y"], wanted, rtol=1e-6)
        rounded += "ceil_mode" not in attributes(found.graph.node[0])
    assert rounded == 60 if "count_include_pad" not in kind else 0 < rounded < 60


@pytest.mark.some(3)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values())))
@pytest.mark.parametrize(("width", "pads"), [(6, (0, 1, 0, 0)), (7, (0, 0, 0, 0)), (7, (1, 1, 1, 1))])
def test_on_the_chip(kind: dict[str, Any], width: int, pads: tuple[int, ...]) -> None:
    given = model(width, pads=pads, kernel_shape=[2, 2], strides=[1, 2], **kind)
    session = session_of(build(planned(adapted(given, {}))).executable, Machine("native"))
    session.write("x", images(width)["x"])
    session.run()
    wanted = ReferenceEvaluator(given).run(None, images(width))[0]
    np.testing.assert_allclose(session.outputs()["y"], wanted, rtol=1e-6)
