"""What ONNX's reference computes wrongly: transposed convolutions beside PyTorch's and beside ONNX's own tests."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

from haribote.operators.mended import MENDED

with np.errstate(all="ignore"):  # all: what is asked for first is all that onnx collects in a process
    OWN = [case for case in collect_testcases(None) if case.name.startswith("test_convtranspose")]


@pytest.mark.parametrize(
    ("group", "strides", "pads", "dilations", "more"),
    [
        (1, (2, 3), (1, 0), (1, 2), (1, 1)),
        (2, (1, 1), (0, 0), (4, 4), (2, 3)),
        (2, (3, 2), (2, 1), (1, 1), (0, 1)),
    ],
)
def test_a_transposed_convolution_is_pytorchs(group, strides, pads, dilations, more) -> None:
    torch = pytest.importorskip("torch")
    x, w, b = torch.randn(2, 4, 5, 6), torch.randn(4, 3, 3, 2), torch.randn(3 * group)
    wanted = torch.nn.functional.conv_transpose2d(x, w, b, strides, pads, more, group, dilations)
    given = {"strides": strides, "pads": pads * 2, "dilations": dilations, "output_padding": more, "group": group}
    node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"], **given)
    inputs = [helper.make_tensor_value_info(name, 1, None) for name in "xwb"]
    graph = helper.make_graph([node], "one", inputs, [helper.make_tensor_value_info("y", 1, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    found = ReferenceEvaluator(model, new_ops=MENDED).run(None, {"x": x.numpy(), "w": w.numpy(), "b": b.numpy()})[0]
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", OWN, ids=lambda case: case.name)
def test_onnxs_own_tests_pass(case) -> None:
    for inputs, outputs in case.data_sets:
        names = [info.name for info in case.model.graph.input]
        found = ReferenceEvaluator(case.model, new_ops=MENDED).run(None, dict(zip(names, inputs, strict=True)))
        np.testing.assert_allclose(found[0], outputs[0], rtol=1e-5, atol=1e-6)
