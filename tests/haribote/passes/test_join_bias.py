"""A layer's bias as one more column of its weight: the same training step."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
import torch

from haribote.frontend.torch import trace_step
from haribote.graph import Index, evaluate, metadata, updates
from haribote.passes import decompose, join_bias, simplify
from haribote.stack.planner import elementary
from haribote.training.backends import example_batch
from haribote.training.models import mlp


def step(*widths: int, momentum: float = 0.0, batch: int = 4) -> onnx.ModelProto:
    model = mlp(*widths)
    _, images, labels = example_batch(model, batch, 0.1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
    return elementary.run(decompose.run(simplify.run(trace_step(model, optimiser, images, labels))))


def feeds(model: onnx.ModelProto) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    random, index = np.random.default_rng(0), Index(model)
    return {
        name: random.standard_normal(index.shape[name]).astype(np.float32)
        if index.dtype[name] == np.float32
        else random.integers(0, 3, index.shape[name]).astype(index.dtype[name])
        for name in index.inputs
    }


def put_together(joined: onnx.ModelProto, values: dict[str, np.ndarray], name: str) -> np.ndarray:  # type: ignore[type-arg]
    parts = json.loads(metadata(joined)["haribote.joins"]).get(name)
    if parts is None:
        return values[name]
    rows = len(values[parts[0]["source"]])
    pieces = [values[p["source"]] if "source" in p else np.full(rows, p["value"], np.float32) for p in parts]
    return np.concatenate([piece.reshape(rows, -1) for piece in pieces], axis=1)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_the_joined_step_is_the_same_step(momentum: float) -> None:
    model = step(7, 5, 3, momentum=momentum)
    joined = join_bias.run(model)
    assert len(joined.graph.node) < len(model.graph.node)
    values = feeds(model)
    expected = evaluate(model, values)
    found = evaluate(joined, {name: put_together(joined, values, name) for name in Index(joined).inputs})
    for name, value in found.items():
        np.testing.assert_allclose(value, put_together(joined, expected, name), rtol=1e-5, atol=1e-6)
    assert set(updates(joined)) <= set(Index(joined).inputs)
    assert set(updates(joined).values()) <= set(Index(joined).outputs)


def test_only_the_first_layer_is_joined_and_only_where_a_column_is_free() -> None:
    joined = join_bias.run(step(7, 5, 3))
    assert "0.weight+0.bias" in Index(joined).inputs and "2.bias" in Index(joined).inputs
    model = step(8, 5, 3)
    assert join_bias.run(model) is model


def test_a_bias_that_something_else_reads_stays() -> None:
    model = step(7, 5, 3)
    model.graph.node.append(onnx.helper.make_node("Neg", ["0.bias"], ["more"], name="more"))
    model.graph.output.append(onnx.helper.make_tensor_value_info("more", onnx.TensorProto.FLOAT, [5]))
    assert "0.bias" in Index(join_bias.run(model)).inputs
