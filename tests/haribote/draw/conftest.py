"""The training step to draw, after every stage."""

from __future__ import annotations

import onnx
import pytest

from haribote.compiler import STAGES, lower


@pytest.fixture(scope="module")
def stages() -> dict[str, onnx.ModelProto]:
    """The training step of 784-16-10 as traced, and after every stage."""
    import torch

    from haribote.frontend.torch import trace_step
    from haribote.training.models import mlp

    model = mlp(784, 16, 10)
    labels = torch.zeros(256, dtype=torch.int64)
    graph = trace_step(model, torch.optim.SGD(model.parameters(), lr=0.01), torch.zeros(256, 784), labels)
    result = {"trace": graph}
    for stage in STAGES:
        graph = result[stage] = lower(graph, stage, stage)
    return result


@pytest.fixture(params=["trace", *STAGES])
def model(request: pytest.FixtureRequest, stages: dict[str, onnx.ModelProto]) -> onnx.ModelProto:
    """The graph after each stage in turn."""
    return stages[request.param]
