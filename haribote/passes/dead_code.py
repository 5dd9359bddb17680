"""Dead code: what no output of the graph needs."""

from __future__ import annotations

import onnx

from haribote.graph import clone, complete
from haribote.graphs.pruning import remove_dead_code

__all__ = ["remove_dead_code", "run"]


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph without nodes and constants that no output needs."""
    model = clone(model)
    remove_dead_code(model)
    return complete(model)
