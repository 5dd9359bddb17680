"""The core graph that the chip runs: what is no view of another value, and moves elements, is a Pick."""

from __future__ import annotations

from math import prod

import onnx

from haribote.core import rewrite
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.errors import UnsupportedOp
from haribote.graph import Index, attributes
from haribote.passes.cse import run as share
from haribote.stack.planner.tables import LOOKED_THROUGH, MOST_COMPARED
from haribote.stack.planner.views import view_of
from simulator.messages import tr


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has no rule stays as it is. Raises UnsupportedOp where too much is compared."""
    _comparable(model)
    lowered = lower(model, _taken, first=LOOKED_THROUGH)
    return share(rewrite.once(lowered, _as_pick) or lowered)


def _comparable(model: onnx.ModelProto) -> None:
    """Raises UnsupportedOp where more is compared than fits, which would be found out after a minute."""
    nodes = [node for node in model.graph.node if node.op_type in ("TopK", "ScatterElements")]
    if not nodes:
        return
    index = Index(model)
    for node in nodes:
        pairs = _pairs(node, index)
        if pairs > MOST_COMPARED:
            raise UnsupportedOp(
                tr(
                    "node {name} ({op_type}) compares every element with every other: {pairs:,} pairs; {most_pairs:,} "
                    "are the most",
                    name=node.name,
                    op_type=node.op_type,
                    pairs=pairs,
                    most_pairs=MOST_COMPARED,
                ),
                tr("a shorter axis, or fewer rows at a time"),
            )


def _pairs(node: onnx.NodeProto, index: Index) -> int:
    """What a sort compares, or a scatter to computed places: each of them with all places of the axis."""
    data, places = node.input[:2]  # of a sort the number of elements wanted
    shape = index.shape[data]
    sort = node.op_type == "TopK"
    if not sort and places in index.constants:
        return 0
    axis: int = attributes(node).get("axis", -1 if sort else 0)
    return prod(shape if sort else index.shape[places]) * shape[axis]


def _taken(node: onnx.NodeProto, _: Index) -> bool:
    """One Pick is better than a transpose between two reshapes."""
    return node.op_type in ("DepthToSpace", "SpaceToDepth")


def _as_pick(g: rewrite.Rewriter) -> str | bool:
    return view_of(g.node, g.index) is None and moved(g)
