"""The training steps that the tasks of stage 03 are asked about, and values for the inputs of a graph."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.autodiff.reverse import train_step
from haribote.graph import Builder, Index
from haribote.passes import simplify

Array = NDArray[Any]
CLASSES = 4
RATE = 0.1


def feeds_of(model: onnx.ModelProto, rng: np.random.Generator) -> dict[str, Array]:
    """Values near 1 for every input; labels are classes."""
    index = Index(model)
    feeds: dict[str, Array] = {}
    for name in index.inputs:
        shape, dtype = index.shape[name], index.dtype[name]
        numbers = rng.standard_normal(shape) if dtype.kind == "f" else rng.integers(0, CLASSES, shape)
        feeds[name] = np.asarray(numbers).astype(dtype)
    return feeds


@cache
def mlp_step(batch: int = 6, widths: tuple[int, ...] = (5, 3, CLASSES)) -> onnx.ModelProto:
    """The simplified training step of `mlp_forward`; shared, so that it must not be changed."""
    return _step(mlp_forward(batch, widths))


def mlp_forward(batch: int = 6, widths: tuple[int, ...] = (5, 3, CLASSES)) -> onnx.ModelProto:
    """Linear layers with Relu between them, and a mean cross-entropy."""
    builder = Builder("mlp")
    value = builder.input("x", (batch, widths[0]), np.float32)
    labels = builder.input("labels", (batch,), np.int64)
    for number, (inputs, outputs) in enumerate(pairwise(widths)):
        w = builder.input(f"w{number}", (outputs, inputs), np.float32)
        b = builder.input(f"b{number}", (outputs,), np.float32)
        if number:
            value = builder.op("Relu", value, name=f"hidden{number}")
        value = builder.op("Gemm", value, w, name=f"product{number}", transB=1)
        value = builder.op("Add", value, b, name=f"biased{number}")
    return _with_loss(builder, value, labels)


def cnn_step(batch: int = 2) -> onnx.ModelProto:
    """The simplified training step of two convolutions with pooling, and a Linear layer."""
    builder = Builder("cnn")
    value = builder.input("x", (batch, 1, 8, 8), np.float32)
    labels = builder.input("labels", (batch,), np.int64)
    for number, (inputs, outputs) in enumerate(((1, 3), (3, 2))):
        w = builder.input(f"w{number}", (outputs, inputs, 3, 3), np.float32)
        b = builder.input(f"b{number}", (outputs,), np.float32)
        value = builder.op("Conv", value, w, b, name=f"conv{number}", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        value = builder.op("Relu", value, name=f"hidden{number}")
        value = builder.op("MaxPool", value, name=f"pool{number}", kernel_shape=[2, 2], strides=[2, 2])
    flat = builder.op("Reshape", value, builder.constant(np.array([batch, 8], np.int64), "flat"), name="features")
    w = builder.input("w2", (CLASSES, 8), np.float32)
    return _step(_with_loss(builder, builder.op("Gemm", flat, w, name="biased2", transB=1), labels))


def _with_loss(builder: Builder, logits: str, labels: str) -> onnx.ModelProto:
    log_p = builder.op("LogSoftmax", logits, name="log_softmax", axis=1)
    builder.output(builder.op("NegativeLogLikelihoodLoss", log_p, labels, name="loss", reduction="mean"))
    return builder.finish()


def _step(forward: onnx.ModelProto) -> onnx.ModelProto:
    return simplify.run(train_step(forward, RATE))
