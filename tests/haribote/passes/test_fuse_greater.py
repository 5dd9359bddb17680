"""A greater that is no ReLU's derivative is left alone."""

from __future__ import annotations

import numpy as np
import onnx

from haribote.compiler import lower
from haribote.frontend.torch import trace_step
from haribote.graph import clone
from haribote.passes import fuse_greater
from haribote.training.backends import example_batch
from haribote.training.models import mlp


def test_greater_with_another_bound_or_reader_is_left_alone() -> None:
    model = mlp(16, 16, 10)
    graph = lower(trace_step(model, *example_batch(model, 256, 0.1)), stop_after="decompose")
    assert any(node.op_type == "GreaterCast" for node in fuse_greater.run(graph).graph.node)
    greater = next(node for node in graph.graph.node if node.op_type == "Greater")
    changed = clone(graph)
    bound = next(tensor for tensor in changed.graph.initializer if tensor.name == greater.input[1])
    bound.CopyFrom(onnx.numpy_helper.from_array(np.ones(tuple(bound.dims), np.float32), bound.name))
    assert not any(node.op_type == "GreaterCast" for node in fuse_greater.run(changed).graph.node)
