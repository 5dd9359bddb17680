"""Rewriting: rules, each of which writes one node in other nodes, applied until none fits."""

from __future__ import annotations

from collections.abc import Callable

import onnx

from haribote.errors import HariboteError
from haribote.graph import Builder, Index, complete
from haribote.graphs.pruning import remove_dead_code
from simulator.messages import tr

Rule = Callable[[Builder, Index, onnx.NodeProto], bool]
"""(the new graph, lookups in the old one, a node of it) -> True where it has added nodes that give the node's outputs,
False where it has added none and the node stays."""
Step = Callable[[onnx.ModelProto], onnx.ModelProto | None]
"""A graph -> the graph that it becomes, None where it stays as it is."""
ROUNDS = 100
"""More rounds than any graph needs: rules that go on for so long undo each other."""


def once(model: onnx.ModelProto, rule: Rule) -> onnx.ModelProto | None:
    """The graph with every node that the rule writes written so; None where it writes none."""
    builder, index, changed = Builder.like(model), Index(model), False
    for node in model.graph.node:
        if rule(builder, index, node):
            changed = True
        else:
            builder.keep(node)
    if not changed:
        return None
    remove_dead_code(builder.model)
    return complete(builder.model)


def to_fixed_point(model: onnx.ModelProto, *steps: Step) -> onnx.ModelProto:
    """The graph that no step changes any more; each gives a changed graph, or None.

    Raises HariboteError where there is no end to it.
    """
    for _ in range(ROUNDS):
        changed = False
        for step in steps:
            found = step(model)
            if found is not None:
                model, changed = found, True
        if not changed:
            return model
    raise HariboteError(
        tr("rules write each other's nodes for ever"), tr("a rule that gives only nodes nearer to the core")
    )
