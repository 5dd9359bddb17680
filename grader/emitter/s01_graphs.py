"""Stage 01: what the emitter does for its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from grader.emitter.forms import Form, Function
from grader.emitter.graphs import graph_answer, graph_given, taken_name
from grader.emitter.loading import AnswerError
from grader.emitter.values import Value, Values


def addmm(function: Function, given: Values) -> dict[str, Value]:
    """Given: rows, features, outputs, beta, alpha. Answer: the graph of beta * bias + alpha * x · weightᵀ, traced."""
    import torch

    from haribote.frontend.aten import RULES, Lowering
    from haribote.frontend.torch import trace_inference

    rows, features, outputs = (int(given[name]) for name in ("rows", "features", "outputs"))  # type: ignore[arg-type]
    beta, alpha = given["beta"], given["alpha"]

    class Layer(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.addmm(self.bias, x, self.weight.t(), beta=beta, alpha=alpha)  # type: ignore[arg-type]

    def named(g: Lowering, *args: Any, **kwargs: Any) -> str:
        return taken_name(function(g, *args, **kwargs), g.result)

    target: Any = torch.ops.aten.addmm.default
    before = RULES[target]
    RULES[target] = wraps(function)(named)
    try:
        return graph_answer(lambda: trace_inference(Layer(features, outputs), torch.zeros(rows, features)))
    finally:
        RULES[target] = before


def run_nodes(function: Function, given: Values) -> dict[str, Value]:
    """Given: a graph, its inputs and constants by name. Answer: all values; the names in what was given, afterwards."""
    from haribote.operators.reference import operators

    model, values = graph_given(given["graph"]), given["values"]
    if not isinstance(values, dict):
        raise TypeError("values are given by name")
    result = function(model.graph.node, values, operators(model))
    if not isinstance(result, Mapping):
        raise AnswerError(f"run_nodes must give a dictionary of all values, received {type(result).__name__}")
    return {"values": {str(name): value for name, value in result.items()}, "given": [*sorted(values)]}


FORMS: dict[str, Form] = {"1.1": addmm, "1.2": run_nodes}
