"""The core graph that the chip runs: what is no view of another value, and moves elements, is a Pick."""

from __future__ import annotations

import onnx

from haribote.core import rewrite
from haribote.core.from_onnx import lower
from haribote.core.from_onnx.indexing import moved
from haribote.graph import Index
from haribote.passes.cse import run as share
from haribote.stack.planner.views import view_of


def run(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same function; what has no rule stays as it is."""
    lowered = lower(model, _taken)
    return share(rewrite.once(lowered, _as_pick) or lowered)


def _taken(node: onnx.NodeProto, _: Index) -> bool:
    """One Pick is better than a transpose between two reshapes."""
    return node.op_type in ("DepthToSpace", "SpaceToDepth")


def _as_pick(g: rewrite.Rewriter) -> str | bool:
    return view_of(g.node, g.index) is None and moved(g)
