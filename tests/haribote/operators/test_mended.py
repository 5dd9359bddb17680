"""What ONNX's reference computes wrongly: transposed convolutions beside PyTorch's and beside ONNX's own tests; and
who computes with it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.backend.test.case.node import convtranspose

from haribote.compiler import compile_for_sim, start_session
from haribote.frontend.compiled import CompiledGraph, Options
from haribote.graph import Builder, evaluate
from haribote.operators.mended import evaluator
from haribote.passes import fold_constants

OWN = [name for name in vars(convtranspose.ConvTranspose) if name.startswith("export")]


def run(node: onnx.NodeProto, values: list[np.ndarray]) -> np.ndarray:
    inputs = [helper.make_tensor_value_info(name, 1, None) for name in node.input]
    graph = helper.make_graph([node], "one", inputs, [helper.make_tensor_value_info(node.output[0], 1, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    return evaluator(model).run(None, dict(zip(node.input, values, strict=True)))[0]


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
    np.testing.assert_allclose(run(node, [x.numpy(), w.numpy(), b.numpy()]), wanted.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("export", OWN)
def test_onnxs_own_tests_pass(export: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []

    def expect(node, inputs, outputs, name, **more) -> None:
        np.testing.assert_allclose(run(node, inputs), outputs[0], rtol=1e-5, atol=1e-6)
        ran.append(name)

    monkeypatch.setattr(convtranspose, "expect", expect)
    getattr(convtranspose.ConvTranspose, export)()
    assert ran


def test_logarithms_of_improbable_classes_are_numbers() -> None:
    x = np.array([[0, -150, 200], [-np.inf, 3, 4]], np.float32)
    wanted = [[-200, -350, 0], [-np.inf, -1.3132617, -0.3132617]]
    np.testing.assert_allclose(run(helper.make_node("LogSoftmax", ["x"], ["y"], axis=1), [x]), wanted, rtol=1e-6)
    turned = run(helper.make_node("LogSoftmax", ["x"], ["y"], axis=0), [x.T])
    np.testing.assert_allclose(turned.T, wanted, rtol=1e-6)


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_neighbouring_channels_as_onnx_has_them(size: int) -> None:
    x = np.random.default_rng(0).normal(size=(1, 5, 2, 3)).astype(np.float32)
    found = run(helper.make_node("LRN", ["x"], ["y"], size=size, alpha=1.0, bias=2.0, beta=0.5), [x])
    for channel in range(5):
        first, last = max(0, channel - (size - 1) // 2), min(4, channel + size // 2)
        total = (x[:, first : last + 1] ** 2).sum(1)
        np.testing.assert_allclose(found[:, channel], x[:, channel] / np.sqrt(2 + total / size), rtol=1e-5)


def test_sums_of_sizes() -> None:
    x = np.array([[1, -3, 4], [0, 0, 0]], np.float32)
    found = run(helper.make_node("LpNormalization", ["x"], ["y"], axis=1, p=1), [x])
    np.testing.assert_allclose(found, [[1 / 8, -3 / 8, 4 / 8], [0, 0, 0]], rtol=1e-6)


@pytest.mark.parametrize("device", ["host", "chip"])
def test_padding_that_cuts(device: str) -> None:
    builder, x = Builder("cut"), np.arange(12, dtype=np.float32).reshape(3, 4)
    pads, value = builder.constant(np.array([1, -1, -2, 1]), "pads"), builder.constant(np.float32(7), "value")
    builder.output(builder.op("Pad", builder.input("x", x.shape, np.float32), pads, value, name="y"))
    found = CompiledGraph(builder.finish(), Options(device, level=0))({"x": x})["y"]
    assert found.tolist() == [[7, 7, 7, 7], [1, 2, 3, 7]]


def test_maxima_of_padded_rows() -> None:
    x = np.array([[[3, 1, 2]]], np.float32)
    found = run(helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2], strides=[1], pads=[1, 1]), [-x])
    assert found.tolist() == [[[-3, -1, -1, -2]]]


def test_nobody_computes_with_the_original() -> None:
    root = Path(__file__).parents[3]
    sources = [path for folder in ("haribote", "simulator", "grader") for path in (root / folder).rglob("*.py")]
    used = re.compile(r"ReferenceEvaluator\(|\(ReferenceEvaluator\)")
    assert [path.name for path in sources if used.search(path.read_text("utf-8"))] == ["mended.py"]


def test_the_bodies_of_functions_are_computed_as_they_are_meant() -> None:
    """The gradient of maxima finds them again, in a function of its own."""
    builder = Builder("gradient")
    grad, x = (builder.input(name, (2, 1, 1, size), np.float32) for name, size in (("grad", 1), ("x", 2)))
    builder.output(builder.op("MaxPoolGrad", grad, x, name="y", kernel_shape=[1, 2], strides=[1, 1], pads=[0, 0, 0, 0]))
    given = {"grad": np.array([1, 2], np.float32).reshape(2, 1, 1, 1), "x": IMAGES}
    assert evaluate(builder.finish(), given)["y"].ravel().tolist() == [0, 1, 2, 0]


IMAGES = np.array([[1, 2], [3, 0]], np.float32).reshape(2, 1, 1, 2)
PLACES = [1, 2]
"""Of the maxima: the original gives 2 and 0, where strides are 1."""


def pooled(constant: bool) -> onnx.ModelProto:
    """The places of the maxima, of an input or of a constant."""
    builder = Builder("pooled")
    x = builder.constant(IMAGES, "images") if constant else builder.input("images", IMAGES.shape, np.float32)
    builder.op("MaxPool", x, name="y", kernel_shape=[1, 2], strides=[1, 1])
    builder.model.graph.node[-1].output.append("places")
    builder.output("places")
    return builder.finish()


@pytest.mark.parametrize("level", [0, 1])
def test_the_host_of_a_step_computes_what_is_meant(level: int) -> None:
    session = start_session(compile_for_sim(pooled(False), True, level=level))
    session.step({"images": IMAGES})
    assert np.asarray(session.read("places")).ravel().tolist() == PLACES


def test_constants_are_folded_as_they_are_meant() -> None:
    model = pooled(True)
    fold_constants.fold_constants(model, outputs=True)
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert values["places"].ravel().tolist() == PLACES
