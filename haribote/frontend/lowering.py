"""From operations of an fx graph to ONNX, one after another, by the rules of all modules `aten*`."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from torch import Tensor, fx

from haribote.frontend import (  # their import enters their rules
    aten,
    aten_cnn,
    aten_comparison,
    aten_constants,
    aten_elementwise,
    aten_picks,
    aten_products,
    aten_reduction,
    aten_special,
    aten_views,
)
from haribote.frontend.aten import RULES, Lowering
from simulator.messages import Text

THEMES = {
    Text("arithmetic and functions"): aten_elementwise,
    Text("special functions"): aten_special,
    Text("comparison, logic, choice"): aten_comparison,
    "reductions": aten_reduction,
    Text("views, parts, joins"): aten_views,
    Text("picks by computed indices"): aten_picks,
    Text("constants and casts"): aten_constants,
    Text("products, softmax, losses"): aten,
    Text("batched products"): aten_products,
    Text("convolution and pooling"): aten_cnn,
}
"""What the rules of a module are about."""

FREE = frozenset(
    target for target, rule in RULES.items() if rule.__module__ in (aten_views.__name__, aten_constants.__name__)
)
"""Operations that compute nothing: they only move elements or hold constants."""

__all__ = ["FREE", "RULES", "THEMES", "write"]


def write(
    g: Lowering,
    program: fx.GraphModule,
    nodes: Iterable[fx.Node],
    env: dict[fx.Node, Any],
    names: Mapping[fx.Node, str],
) -> None:
    """Write these nodes in ONNX.

    Args:
        g: the graph so far.
        program: what constants belong to.
        nodes: in an order in which they can be computed.
        env: the names of the values that they read; their own are added.
        names: what their values shall be called, where that is not the node's own name.

    Raises:
        UnsupportedOp: a rule does not cover an operation.
    """
    for node, name in env.items():
        _note(g, node.meta["val"], name)
    for node in nodes:
        g.node, g.result = node, names.get(node, node.name.strip("_"))
        parts = [user for user in node.users if user.target is operator.getitem and user in names]
        g.results = {int(str(user.args[1])): names[user] for user in parts}
        if node.op == "get_attr":
            env[node] = g.builder.constant(operator.attrgetter(str(node.target))(program).detach().numpy(), g.result)
        elif node.target is operator.getitem:
            env[node] = env[node.args[0]][node.args[1]]  # type: ignore[index]
        elif node.target in RULES:
            env[node] = g.apply(RULES[node.target], fx.map_arg(node.args, env.get), fx.map_arg(node.kwargs, env.get))
        if node in env:
            _note(g, node.meta.get("val"), env[node])


def _note(g: Lowering, value: Any, name: Any) -> None:
    """Remember the shape and the dtype of a value."""
    if isinstance(value, Tensor) and isinstance(name, str):
        g.shapes[name], g.types[name] = tuple(value.shape), value.dtype
