"""Stage 01: what the emitter does for its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import onnx

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import graph_answer, graph_given, in_place_of, taken_name
from grader.emitter.loading import AnswerError
from grader.emitter.values import Value, Values
from simulator.messages import tr

if TYPE_CHECKING:
    import torch

RATE = 0.1  # of the step that is trained in the last case


def addmm(function: Function, given: Values) -> dict[str, Value]:
    """Given: rows, features, outputs, beta, alpha. Answer: the graph of beta * bias + alpha * x · weightᵀ, traced. Or
    given rows and widths: the training step of layers with Relu between them, traced."""
    import torch

    from haribote.frontend.aten import RULES, Lowering
    from haribote.frontend.torch import trace_inference

    def named(g: Lowering, *args: Any, **kwargs: Any) -> str:
        return taken_name(function(g, *args, **kwargs), g.result)

    target: Any = torch.ops.aten.addmm.default
    with in_place_of(RULES, target, wraps(function)(named)):
        if "widths" in given:
            return graph_answer(lambda: _step(int(str(given["rows"])), given["widths"]))
        layer, features = _layer(given)
        return graph_answer(lambda: trace_inference(layer, torch.zeros(int(str(given["rows"])), features)))


def _layer(given: Values) -> tuple[torch.nn.Module, int]:
    """One layer with these factors, and how many features it takes."""
    import torch

    features, outputs, beta, alpha = given["features"], given["outputs"], given["beta"], given["alpha"]

    class Layer(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.addmm(self.bias, x, self.weight.t(), beta=beta, alpha=alpha)  # type: ignore[arg-type]

    return Layer(int(str(features)), int(str(outputs))), int(str(features))


def _step(rows: int, widths: Any) -> onnx.ModelProto:
    import torch

    from haribote.frontend.torch import trace_step

    first, hidden, classes = (int(width) for width in widths)
    model = torch.nn.Sequential(torch.nn.Linear(first, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, classes))
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    return trace_step(model, optimizer, torch.zeros(rows, first), torch.zeros(rows, dtype=torch.int64))


def run_nodes(function: Function, given: Values) -> dict[str, Value]:
    """Given: a graph, its inputs and constants by name. Answer: all values; the names in what was given, afterwards."""
    from haribote.operators.reference import operators

    model, values = graph_given(given["graph"]), given["values"]
    if not isinstance(values, dict):
        raise TypeError(tr("values are given by name"))
    result = function(model.graph.node, values, operators(model))
    if not isinstance(result, Mapping):
        raise AnswerError(tr("run_nodes must give a dictionary of all values, received {name}", type(result).__name__))
    return {"values": {str(name): value for name, value in result.items()}, "given": [*sorted(values)]}


FORMS: dict[str, Form] = {"1.1": addmm, "1.2": run_nodes}
